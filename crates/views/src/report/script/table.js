// The table of regions: sorting, filters, only the rows that can be seen.

const ROW = 31;
const byText = (pick) => ({ compare: (a, b) => pick(a).localeCompare(pick(b), "en", { numeric: true }), show: pick });
const byNumber = (pick, show) => ({ number: true, compare: (a, b) => (pick(a) ?? -1) - (pick(b) ?? -1), show: (r) => show(pick(r)) });
const COLUMNS = [
  { name: "", ...byText((r) => r.letter ?? ""), compare: (a, b) => (a.letter?.length ?? 9) - (b.letter?.length ?? 9) || (a.letter ?? "").localeCompare(b.letter ?? ""), title: "letter in the charts" },
  { name: "Region", ...byText((r) => r.place) },
  { name: "Function", ...byText((r) => r.function), whole: wholeName },
  { name: "Class", ...byText((r) => r.words) },
  { name: "Type", ...byText((r) => r.type), title: "of the type scan" },
  { name: "What stops it", long: true, ...byText((r) => r.stops ?? ""), title: "what keeps its parts from running side by side" },
  { name: "Coverage", ...byNumber((r) => r.coverage, percent), show: coverage, share: (r) => r.coverage, title: "share of the program’s work in it and all it contains" },
  { name: "Own", ...byNumber((r) => r.own, percent), share: (r) => r.own, title: "share of the program’s work in no loop or function inside it" },
  { name: "Self-par.", ...byNumber((r) => r.sp, factor), show: parallelism, title: "self-parallelism" },
  { name: "Total-par.", ...byNumber((r) => r.tp, factor), title: "total parallelism" },
  { name: "Alone", ...byNumber((r) => r.speedup, times), title: "ideal speedup of the program by this region alone" },
  { name: "Work", ...byNumber((r) => r.work, short), title: "in units of latency" },
  { name: "Crit. path", ...byNumber((r) => r.cp, (cp) => cp === null ? "?" : short(cp)), title: "critical path, in units of latency" },
  { name: "Instances", ...byNumber((r) => r.instances, units) },
  { name: "Iterations", ...byNumber((r) => r.iterations?.[2], () => ""), show: iterations, title: "of one instance" },
  { name: "Plan", number: true, compare: (a, b) => (b.rank ?? Infinity) - (a.rank ?? Infinity) || 0, show: (r) => r.rank ? String(r.rank) : "", title: "place in the plan" },
];
const grid = byId("grid"), gridBody = grid.querySelector("tbody");
let sorting = { column: 6, down: true }, shown = [], active = -1, flat = false;

COLUMNS.forEach((column, number) => {
  grid.querySelector("thead tr").append(el(column.number ? "th.number" : "th", { scope: "col" },
    el("button", { type: "button", title: column.title, onclick: () => sortBy(number) }, column.name)));
});
for (const name of [...new Set(regions.map((r) => r.class))].sort()) {
  byId("class").append(el("option", { value: name }, regions.find((r) => r.class === name && r.kind === "loop")?.words ?? name.toLowerCase()));
}

function sortBy(number) {
  sorting = { column: number, down: sorting.column === number ? !sorting.down : Boolean(COLUMNS[number].number) };
  fillGrid();
}

function fillGrid() {
  const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const least = Number(byId("least").value) / 100 || 0;
  const kind = byId("kind").value, type = byId("type").value, class_ = byId("class").value, planned = byId("planned").checked;
  const chosen = active >= 0 ? shown[active] : -1;
  shown = [];
  regions.forEach((region, index) => {
    const text = () => `${region.id} ${files[region.file].name} ${region.header ?? ""} ${region.function} ${wholeName(region)} ${region.words} ${region.class} ${region.type ?? ""}`.toLowerCase();
    if ((kind && region.kind !== kind) || (class_ && region.class !== class_) || (type && region.type !== type) || (planned && !region.rank) || region.coverage < least) return;
    if (words.length) { const all = text(); if (!words.every((word) => all.includes(word))) return; }
    shown.push(index);
  });
  const { compare } = COLUMNS[sorting.column], sign = sorting.down ? -1 : 1;
  shown.sort((a, b) => sign * compare(regions[a], regions[b]) || a - b);
  [...grid.querySelectorAll("thead th")].forEach((th, number) => {
    if (number === sorting.column) th.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
    th.firstChild.textContent = COLUMNS[number].name + (number === sorting.column ? (sorting.down ? " ▾" : " ▴") : "");
  });
  byId("count").textContent = shown.length === regions.length ? `${grouped(regions.length)} regions` : `${grouped(shown.length)} of ${grouped(regions.length)} regions`;
  active = shown.indexOf(chosen);
  grid.classList.toggle("few", shown.length < 16);
  grid.querySelector("table").setAttribute("aria-rowcount", shown.length + 1);
  grid.scrollTop = 0;
  drawGrid();
}

/** Rows that can be seen, between two empty ones that are as high as the others. */
function drawGrid() {
  const from = flat ? 0 : clamp(Math.floor(grid.scrollTop / ROW) - 10, 0, Math.max(0, shown.length - 1));
  const to = flat ? Math.min(shown.length, 250) : Math.min(shown.length, from + Math.ceil(grid.clientHeight / ROW) + 20);
  const gap = (rows) => el("tr.gap", { "aria-hidden": "true" }, el("td", { colspan: COLUMNS.length, style: `height:${rows * ROW}px` }));
  const rows = [];
  if (from > 0) rows.push(gap(from));
  for (let place = from; place < to; place += 1) {
    const index = shown[place], region = regions[index];
    rows.push(el(place === active ? "tr.active" : "tr", { "aria-rowindex": place + 2, "data-place": place },
      COLUMNS.map((column, number) => {
        const text = column.show(region);
        if (number === 1) return el("td.cut", {}, el("button.link", { type: "button", tabindex: -1, title: region.id }, text));
        if (column.share) return el("td.number.share", { style: `--share:${(column.share(region) * 100).toFixed(2)}` }, text);
        if (number === 3) return el("td", {}, badge(region));
        return el(column.number ? "td.number" : column.long ? "td.cut.long" : "td.cut", column.number ? {} : { title: column.whole?.(region) ?? text }, text);
      })));
  }
  if (to < shown.length) rows.push(flat ? el("tr", {}, el("td", { colspan: COLUMNS.length }, `and ${grouped(shown.length - to)} more`)) : gap(shown.length - to));
  if (!shown.length) rows.push(el("tr.gap", {}, el("td", { colspan: COLUMNS.length, style: "padding:.4rem .6rem" }, "No region matches.")));
  gridBody.replaceChildren(...rows);
}

function activate(place) {
  active = clamp(place, 0, shown.length - 1);
  const head = grid.querySelector("thead").offsetHeight, top = active * ROW;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + ROW + head > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + ROW + head - grid.clientHeight;
  drawGrid();
  const region = regions[shown[active]];
  say(`${region.place} in ${region.function}, ${region.words}, coverage ${coverage(region)}`);
}
let frame = 0;
const later = (draw) => { cancelAnimationFrame(frame); frame = requestAnimationFrame(draw); };
grid.addEventListener("scroll", () => later(drawGrid), { passive: true });
gridBody.addEventListener("click", (event) => {
  const place = event.target.closest("tr")?.dataset.place;
  if (place === undefined) return;
  active = Number(place);
  for (const row of gridBody.children) row.classList.toggle("active", row.dataset.place === place);
  select(shown[active], grid);
});
grid.addEventListener("keydown", (event) => {
  if (event.target !== grid || !shown.length) return;
  const page = Math.max(1, Math.floor(grid.clientHeight / ROW) - 2);
  const moves = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: shown.length - 1 };
  if (event.key in moves) { activate(moves[event.key]); event.preventDefault(); }
  else if (event.key === "Enter" && active >= 0) { select(shown[active], grid); event.preventDefault(); }
});
for (const id of ["words", "kind", "class", "type", "least", "planned"]) byId(id).addEventListener("input", fillGrid);
byId("filters").addEventListener("submit", (event) => event.preventDefault());

/** Tells screen readers. */
const speaker = el("div", { "aria-live": "polite", style: "position:absolute;left:-99rem" });
document.body.append(speaker);
const say = (text) => { speaker.textContent = text; };
