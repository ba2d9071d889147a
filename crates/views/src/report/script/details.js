// The details of a region, beside the page.

const drawer = byId("drawer"), drawerBody = byId("drawer-body");
let current = -1, comeFrom = null;
const children = new Map();
regions.forEach((region, index) => region.parents.forEach((parent) => { if (children.has(parent)) children.get(parent).push(index); else children.set(parent, [index]); }));

/** Opens the details of a region; closing gives the focus back to `from`. */
function select(index, from) {
  const region = regions[index];
  if (drawer.hidden) comeFrom = from ?? document.activeElement;
  current = index;
  byId("drawer-title").textContent = region.id;
  const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];
  const list = (title, indexes) => indexes.length ? [el("h3", {}, title), el("ul", {}, indexes.slice(0, 12).map((i) => el("li", {}, opener(i), ` ${regions[i].function}, ${coverage(regions[i])}`)),
    indexes.length > 12 ? el("li", {}, `and ${grouped(indexes.length - 12)} more`) : null)] : [];
  const inside = (children.get(index) ?? []).filter((i) => i !== index).sort((a, b) => regions[b].coverage - regions[a].coverage);
  drawerBody.replaceChildren(
    el("p.badge-row", {}, region.letter ? el("b", {}, region.letter) : "", badge(region), el("span", { title: wholeName(region) }, region.function)),
    el("p", {}, el("button", { type: "button", onclick: () => { showFile(region.file); showLine(region.line); byId("source").scrollIntoView(); if (innerWidth < 1500) close(); code.focus({ preventScroll: true }); } }, "Show in the source view")),
    el("dl.facts", {},
      fact("File", files[region.file].name),
      region.header ? fact("Reached from", region.place) : [],
      region.header ? fact("Lines", region.header) : fact("Lines", region.line ? `${region.line} to ${region.end_line}` : "unknown"),
      fact("Coverage", `${coverage(region)} (own ${percent(region.own)})`),
      fact("Type", region.type || "unknown"), fact("Self-parallelism", parallelism(region)), fact("Total parallelism", factor(region.tp)),
      fact("Speedup alone", times(region.speedup)),
      fact("Work", units(region.work)), fact("Critical path", units(region.cp)), fact("Instances", units(region.instances)),
      region.iterations ? fact("Iterations", `${iterations(region)} each (${grouped(region.iterations[1])} to ${grouped(region.iterations[3])}), ${grouped(region.iterations[0])} in all${region.counted ? ", counted" : ""}`) : [],
      region.recursive ? fact("Recursive", "yes: coverage and work are over its outermost instances") : []),
    el("h3", {}, region.rank ? `In the plan, number ${region.rank}` : "Not in the plan"),
    ...(region.rank ? [el("p", {}, `Brings ${times(region.speedup)} alone, ${times(region.so_far)} with all above it.`)] : [el("p", {}, prose(sentence(region.reason ?? "less than 0.1% of the work")))]),
    notes(region) ?? "",
    el("h3", {}, "What stops it"), el("p", {}, prose(sentence(region.stops || "nothing: its parts do not wait for each other"))),
    ...(region.why ? [el("h3", {}, "Type of parallelism"), el("p", {}, prose(sentence(`${region.type || "Unknown"}: ${region.why}`)))] : []),
    excerpt(region, 24) ?? el("p.note", {}, files[region.file].note || "No source for these lines."),
    ...list("Around it", region.parents), ...list("Inside it", inside));
  drawer.hidden = false;
  document.body.classList.add("open");
  drawer.scrollTop = 0;
  showFile(region.file);
  showLine(region.line);
  byId("drawer-title").focus({ preventScroll: true });
  try { history.replaceState(null, "", "#region=" + encodeURIComponent(region.id)); } catch { /* only a convenience */ }
}

function close() {
  if (drawer.hidden) return;
  drawer.hidden = true;
  document.body.classList.remove("open");
  current = -1;
  if (comeFrom?.isConnected) comeFrom.focus({ preventScroll: true });
  try { history.replaceState(null, "", location.pathname + location.search); } catch { /* as above */ }
}
byId("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !drawer.hidden) { close(); event.preventDefault(); }
  else if (event.key === "/" && !/^(input|select|textarea)$/i.test(event.target.tagName) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    byId("words").focus();
    event.preventDefault();
  }
});
