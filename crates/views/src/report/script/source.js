// The source view: gutters of regions, what they do themselves, only the lines that can be seen.

const LINE = 18;
const code = byId("code"), codeSpace = byId("code-space"), codeLines = byId("code-lines");
let file = -1, rows = [], bars = [], ownAt = new Map(), mostOwn = 0, levels = 0, picked = 0;
const barsOf = new Map();
const placed = new Map();
for (const region of regions) if (region.line && !placed.has(region.file)) placed.set(region.file, region.place);
/** The file's name as short as is unambiguous. */
const shortName = (number) => placed.get(number)?.replace(/:[0-9?, -]+$/, "") ?? files[number].name;

/** Regions of a file by place, those of the same place (templates, macros) as one, with a column for each. */
function regionsOf(number) {
  if (barsOf.has(number)) return barsOf.get(number);
  const places = new Map();
  regions.forEach((region, index) => {
    if (region.file !== number || !region.line) return;
    const key = `${region.line}:${region.column}:${region.end_line}:${region.kind}`;
    if (places.has(key)) places.get(key).members.push(index);
    else places.set(key, { line: region.line, end: region.end_line, column: region.column, members: [index] });
  });
  const list = [...places.values()].sort((a, b) => a.line - b.line || b.end - a.end || a.column - b.column);
  const open = [], own = new Map();
  let columns = 0;
  for (const bar of list) {
    for (const member of bar.members) {
      const at = own.get(bar.line) ?? { share: 0, members: [], estimated: false };
      own.set(bar.line, { share: at.share + regions[member].own, members: [...at.members, member], estimated: at.estimated || regions[member].error !== undefined });
    }
    bar.members.sort((a, b) => regions[b].coverage - regions[a].coverage);
    while (open.length && open[open.length - 1].end < bar.line) open.pop();
    bar.level = open.length;
    open.push(bar);
    columns = Math.max(columns, bar.level + 1);
  }
  for (const at of own.values()) at.members.sort((a, b) => regions[b].own - regions[a].own);
  const most = Math.max(0, ...[...own.values()].map((at) => at.share));
  const result = { list, own, most, columns: Math.min(columns, 12) };
  barsOf.set(number, result);
  return result;
}

function showFile(number) {
  if (file === number || !files[number]) return;
  file = number;
  byId("file").value = String(number);
  const { note, parts } = files[number];
  byId("file-note").hidden = !note;
  byId("file-note").textContent = note;
  ({ list: bars, own: ownAt, most: mostOwn, columns: levels } = regionsOf(number));
  byId("code-head").style.paddingLeft = levels * 8 + 6 + "px";
  byId("own-note").textContent = ownNote(number);
  rows = [];
  parts.forEach((part, index) => {
    if (index > 0 || part.first > 1) rows.push({ gap: part.first });
    part.lines.forEach((text, at) => rows.push({ number: part.first + at, text }));
  });
  if (!rows.length) {
    // Without source: the places of regions.
    for (const bar of bars) rows.push({ number: bar.line, text: `${regions[bar.members[0]].kind} in ${regions[bar.members[0]].function}`, bar });
  }
  codeSpace.style.height = rows.length * LINE + "px";
  const longest = rows.reduce((most, row) => Math.max(most, row.text ? row.text.length + 3 * (row.text.split("\t").length - 1) : 0), 0);
  codeSpace.style.width = `calc(${longest}ch + ${levels * 8 + 6}px + 24rem)`;
  code.scrollTop = 0;
  code.scrollLeft = 0;
  drawCode();
}

/** How much work the regions of a file do themselves, and how much of that stands at no line. */
function ownNote(number) {
  const known = [...ownAt.values()].reduce((sum, at) => sum + at.share, 0), unknown = ownWork[number] - known;
  const text = `Regions of this file do ${percent(ownWork[number])} of the program’s work themselves.`;
  return unknown >= 0.0005 ? `${text} ${percent(unknown)} is of regions whose line is not known.` : text;
}

/** The share of the work that the regions beginning at a line do themselves: a bar and a number. */
function ownCell(line) {
  const at = ownAt.get(line);
  if (!at || at.share <= 0) return el("span.own", {});
  const shown = (at.estimated ? "~" : "") + (at.share < 0.0005 ? "<0.1%" : percent(at.share));
  const each = at.members.slice(0, 12).map((i) => `${regions[i].kind} ${regions[i].id} in ${wholeName(regions[i])}: ${percent(regions[i].own)} itself, coverage ${coverage(regions[i])}, self-parallelism ${parallelism(regions[i])}, ${regions[i].words}`);
  const more = at.members.length - each.length;
  const width = `width:${(100 * at.share / mostOwn).toFixed(1)}%`;
  return el("span.own", { title: each.join("\n") + (more > 0 ? `\nand ${grouped(more)} more` : "") }, el("i", { style: width, "aria-hidden": "true" }), el("b", {}, shown));
}

function drawCode() {
  const from = clamp(Math.floor(code.scrollTop / LINE) - 20, 0, Math.max(0, rows.length - 1));
  const to = Math.min(rows.length, from + Math.ceil(code.clientHeight / LINE) + 40);
  const first = rows.slice(from, to).find((row) => row.number)?.number ?? 0, last = rows.slice(from, to).findLast((row) => row.number)?.number ?? 0;
  const near = bars.filter((bar) => bar.line <= last && bar.end >= first);
  codeLines.style.top = from * LINE + "px";
  codeLines.replaceChildren(...rows.slice(from, to).map((row) => codeLine(row, near)));
}

function codeLine(row, near) {
  if (row.gap) return el("div.row.gap", {}, el("span.gutter", {}, Array.from({ length: levels }, () => el("i"))), el("span.no", {}, "⋮"), el("span.own", {}), el("span.ann", {}), el("span.text", {}, "  nothing ran here"));
  const over = row.bar ? [row.bar] : near.filter((bar) => bar.line <= row.number && bar.end >= row.number);
  const gutter = Array.from({ length: levels }, () => el("i"));
  let inner = null;
  for (const bar of over) {
    const region = regions[bar.members[0]];
    if (bar.level < gutter.length) {
      gutter[bar.level] = el("button." + region.class + (bar.line === row.number ? ".from" : "") + (bar.end === row.number ? ".to" : ""),
        { type: "button", tabindex: -1, "aria-hidden": "true", "data-region": bar.members[0], title: `${region.id} ${region.words}` });
    }
    inner = region;
  }
  const starts = over.filter((bar) => bar.line === row.number).map((bar) => bar.members[0]).sort((a, b) => regions[b].coverage - regions[a].coverage);
  const heat = inner && inner.own >= 0.001 ? `background:rgba(var(--heat),${(0.04 + 0.3 * Math.sqrt(inner.own)).toFixed(3)})` : null;
  const annotation = el("span.ann", {});
  if (starts.length) {
    const region = regions[starts[0]];
    annotation.append(el("button." + region.class, { type: "button", "data-region": starts[0], title: starts.map((i) => `${regions[i].id} ${regions[i].words}`).join("\n"),
      "aria-label": `${region.id}, ${region.words}, coverage ${coverage(region)}, self-parallelism ${parallelism(region)}` },
      `${coverage(region)}  ${parallelism(region)}${starts.length > 1 ? " +" + (starts.length - 1) : ""}`));
  }
  return el(row.number === picked ? "div.row.pick" : "div.row", { "data-line": row.number }, el("span.gutter", {}, gutter), el("span.no", {}, String(row.number)), ownCell(row.number), annotation,
    el("span.text", heat ? { style: heat } : {}, marked(row.text)));
}

/** Brings a line to the middle of the source view. */
function showLine(number) {
  picked = number;
  const at = Math.max(0, rows.findIndex((row) => row.number === number));
  code.scrollTop = at * LINE - code.clientHeight / 3;
  drawCode();
}
let codeFrame = 0;
code.addEventListener("scroll", () => { cancelAnimationFrame(codeFrame); codeFrame = requestAnimationFrame(drawCode); }, { passive: true });
codeLines.addEventListener("click", (event) => {
  const region = event.target.closest("[data-region]")?.dataset.region;
  if (region !== undefined) select(Number(region), event.target.closest(".ann") ? event.target : code);
});
const ownWork = files.map(() => 0);
for (const region of regions) ownWork[region.file] += region.own;
files.forEach((entry, number) => {
  const own = ownWork[number];
  byId("file").append(el("option", { value: number }, `${percent(own)}  ${shortName(number)}${entry.parts.length ? "" : "  (no source)"}`));
});
byId("file").addEventListener("change", () => { picked = 0; showFile(Number(byId("file").value)); });
byId("hot").addEventListener("click", () => {
  const busiest = regions.filter((region) => region.file === file && region.line).reduce((most, region) => most && most.own >= region.own ? most : region, null);
  if (busiest) showLine(busiest.line);
});
