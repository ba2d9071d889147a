// The plan, and what it leaves out.

byId("rules").textContent = data.plan.rules + (data.plan.optimal ? "" : " The search for the best choice was not exhaustive; there may be a better one.");
data.plan.entries.forEach(([index, onCores], place) => {
  const region = regions[index];
  byId("entries").append(el("li.entry", {},
    el("div.entry-head", {}, el("span.rank", {}, String(place + 1)), opener(index), el("span.function", { title: wholeName(region) }, region.function), badge(region)),
    el("dl.figures", {},
      figure("Alone", times(region.speedup)), figure("So far", times(region.so_far)), onCores === null ? null : figure(data.plan.on ? `Expected ${data.plan.on}` : `On ${data.plan.cores} cores`, times(onCores)),
      figure("Coverage", coverage(region)), figure("Self-parallelism", parallelism(region)),
      figure("Iterations", iterations(region) + (region.instances > 1 && region.iterations ? " × " + grouped(region.instances) : ""))),
    notes(region),
    excerpt(region, 9) ?? toWrite(region)));
});
if (!data.plan.entries.length) byId("entries").append(el("li", {}, "No region meets the thresholds" + (data.plan.on ? ` and pays ${data.plan.on}.` : ".")));

/** What to write for a region whose source is not in the report, null where that is nothing. */
function toWrite(region) {
  const { patch } = region;
  const lines = patch ? [...patch.before, `(lines ${region.line} to ${patch.last_line})`, ...patch.after] : region.pragma ? [region.pragma] : [];
  const row = (line) => el("div.add", {}, el("span.no", {}, "+"), el("span", {}, line));
  return lines.length ? el("pre.excerpt", { tabindex: 0, role: "group", "aria-label": "Directive for " + region.id }, lines.map(row)) : null;
}

/** Reductions, hints and doubts of a region as a list. */
function notes(region) {
  const items = [...(region.reductions?.length ? ["reduces " + region.reductions.join(", ")] : []), ...(region.hints ?? [])];
  if (region.measured < 1) items.push(`self-parallelism is known for ${percent(region.measured)} of its work only; the rest counts as serial`);
  return items.length ? el("ul", {}, items.map((text) => el("li", {}, prose(text)))) : null;
}

const left = regions.map((region, index) => [region, index]).filter(([region]) => region.reason);
const leftSerial = (region) => region.kind === "function" && region.class === "SERIAL";
left.sort(([a], [b]) => leftSerial(a) - leftSerial(b) || b.coverage - a.coverage);
byId("left").hidden = left.length === 0;
byId("left").querySelector("summary").textContent = `Left out: ${grouped(left.length)} regions, and why`;
byId("left").addEventListener("toggle", fillLeft);
function fillLeft() {
  const body = byId("left").querySelector("tbody");
  if (body.childElementCount) return;
  fillSome(body, left, ([region, index]) => el("tr", {}, el("td", {}, opener(index)), el("td.cut", { title: wholeName(region) }, region.function),
      el("td.number", {}, coverage(region)), el("td.number", {}, parallelism(region)), el("td.wrap", {}, prose(sentence(region.reason)))), 5);
}
