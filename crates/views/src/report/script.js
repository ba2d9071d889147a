// The report's page: shows the data of the script block `data`. Names reach the page as text only.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const { regions, files } = data;

// ---- Small things ----

const byId = (id) => document.getElementById(id);

/** An element: class names after dots, then attributes, then children (strings become text). */
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const grouped = (n) => n.toLocaleString("en-US", { maximumFractionDigits: 0 });
/** A parallelism or speedup with three or four digits. */
const factor = (v) => v === null || v === undefined ? "?" : v >= 999.5 ? grouped(v) : v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2);
/** Speedups close to 1 have more digits. */
const times = (v) => v === null || v === undefined ? "" : (v >= 1 && v < 1.1 ? v.toFixed(4) : factor(v)) + "×";
const percent = (share) => (share * 100).toFixed(1) + "%";
const units = (n) => n === null || n === undefined ? "?" : grouped(n);
/** 1234567 as 1.23 M. */
function short(n) {
  for (const [scale, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (n >= scale) return factor(n / scale) + " " + letter;
  return String(n);
}
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
const badge = (region) => el("span.badge." + region.class, {}, region.words);
/** Iterations of one instance. */
function iterations(region) {
  if (!region.iterations) return "";
  const [, least, mean, most] = region.iterations;
  return least === most ? grouped(most) : "~" + (mean >= 99.95 ? grouped(mean) : mean.toFixed(1));
}
const opener = (index, text) => el("button.link", { type: "button", onclick: () => select(index), title: "Show the details of " + regions[index].id }, text ?? regions[index].place);
const figure = (name, value) => value === "" ? null : el("div", {}, el("dt", {}, name), el("dd", {}, value));

// ---- Light and dark ----

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let stored = null;
try { stored = localStorage.getItem("parascan-theme"); } catch { /* no storage: the choice holds for this page */ }
function paint() {
  const dark = stored ? stored === "dark" : prefersDark.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}
byId("theme").addEventListener("click", () => {
  stored = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("parascan-theme", stored); } catch { /* as above */ }
  paint();
});
prefersDark.addEventListener("change", paint);
paint();

// ---- Source ----

/** Line `number` of a file, undefined where it is not in the report. */
function lineOf(file, number) {
  const part = files[file].parts.find((p) => number >= p.first && number < p.first + p.lines.length);
  return part?.lines[number - part.first];
}

const KEYWORDS = new Set(("alignas alignof auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern " +
  "false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register restrict return " +
  "short signed sizeof static static_assert struct switch template this throw true try typedef typename union unsigned using virtual void volatile while").split(" "));
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_]\w*)|[^"'\/A-Za-z_]+|./g;
/** A line of C or C++ with comments, strings and keywords marked. Comments over several lines are known by their stars. */
function marked(text) {
  if (/^\s*\*(?:[\s\/]|$)/.test(text)) return [el("span.tok-c", {}, text)];
  const out = [];
  let plain = "";
  for (const match of text.matchAll(TOKEN)) {
    const kind = match[1] ? "c" : match[2] ? "s" : match[3] && KEYWORDS.has(match[3]) ? "k" : null;
    if (!kind) { plain += match[0]; continue; }
    if (plain) out.push(plain);
    plain = "";
    out.push(el("span.tok-" + kind, {}, match[0]));
  }
  if (plain) out.push(plain);
  return out;
}

/** The lines of a region, at most `most`, with its directive as an added line; null where there is no source. */
function excerpt(region, most) {
  if (!region.line || lineOf(region.file, region.line) === undefined) return null;
  const rows = [];
  const from = Math.max(1, region.line - 1), to = Math.min(region.end_line, region.line + most - 1);
  for (let number = from; number <= to; number += 1) {
    const text = lineOf(region.file, number);
    if (text === undefined) continue;
    if (number === region.line && region.pragma) {
      rows.push(el("div.add", {}, el("span.no", {}, "+"), el("span", {}, /^\s*/.exec(text)[0] + region.pragma)));
    }
    rows.push(el(number === region.line ? "div.first" : "div", {}, el("span.no", {}, String(number)), el("span", {}, ...marked(text))));
  }
  if (to < region.end_line) rows.push(el("div", {}, el("span.no", {}, "⋮"), el("span.quiet", {}, `to line ${region.end_line}`)));
  return el("pre.excerpt", { tabindex: 0, role: "group", "aria-label": "Source of " + region.id }, rows);
}

// ---- Summary ----

document.title = "parascan report: " + data.program.split("/").at(-1);
byId("program").textContent = data.program.split("/").at(-1) || "(unknown program)";
byId("program").title = data.program;
for (const section of document.querySelectorAll("main > section")) {
  if (!section.hidden) byId("sections").append(el("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
}
const tile = (name, value, note) => el("div", {}, el("dt", {}, name), el("dd", {}, value, el("small", {}, note)));
byId("tiles").append(
  tile("Total parallelism", factor(data.total_parallelism), "at most so many times faster"),
  !data.plan.entries.length ? tile("Speedup by the plan", "none", "nothing meets the thresholds") : tile("Speedup by the plan", times(data.plan.speedup), data.plan.cores ? `ideal; ${times(data.plan.speedup_on_cores)} on ${data.plan.cores} cores` : "ideal, unlimited cores"),
  tile("Places to change", String(data.plan.entries.length), data.plan.entries.length ? "see the plan" : "the plan is empty"),
  tile("Work", short(data.work), "units of latency"),
  tile("Regions", grouped(regions.length), `${grouped(regions.filter((r) => r.kind === "loop").length)} loops, ${grouped(regions.filter((r) => r.kind === "function").length)} functions`),
);
for (const [title, text] of data.summary) byId("sentences").append(el("div", {}, el("h3", {}, title), el("p", {}, text)));
if (data.remarks.length) {
  byId("remarks").append(el("p.note", {}, data.partial ? "This profile covers a part of the run only. " : "", el("a", { href: "#blind" }, data.remarks.length === 1 ? "A remark" : `${data.remarks.length} remarks`), " on how the figures came about."));
}

// ---- Plan ----

byId("rules").textContent = data.plan.rules + (data.plan.optimal ? "" : " The search for the best choice was not exhaustive; there may be a better one.");
data.plan.entries.forEach(([index, onCores], place) => {
  const region = regions[index];
  byId("entries").append(el("li.entry", {},
    el("div.entry-head", {}, el("span.rank", {}, String(place + 1)), opener(index), el("span.function", {}, region.function), badge(region)),
    el("dl.figures", {},
      figure("Alone", times(region.speedup)), figure("So far", times(region.so_far)), onCores === null ? null : figure(`On ${data.plan.cores} cores`, times(onCores)),
      figure("Coverage", percent(region.coverage)), figure("Self-parallelism", factor(region.sp)),
      figure("Iterations", iterations(region) + (region.instances > 1 && region.iterations ? " × " + grouped(region.instances) : ""))),
    notes(region),
    excerpt(region, 9) ?? (region.pragma ? el("pre.excerpt", { tabindex: 0, role: "group", "aria-label": "Directive for " + region.id }, el("div.add", {}, el("span.no", {}, "+"), el("span", {}, region.pragma))) : null)));
});
if (!data.plan.entries.length) byId("entries").append(el("li", {}, "No region meets the thresholds."));

/** Reductions, hints and doubts of a region as a list. */
function notes(region) {
  const items = [...(region.reductions?.length ? ["reduces " + region.reductions.join(", ")] : []), ...(region.hints ?? [])];
  if (region.measured < 1) items.push(`self-parallelism is known for ${percent(region.measured)} of its work only; the rest counts as serial`);
  return items.length ? el("ul", {}, items.map((text) => el("li", {}, text))) : null;
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
  for (const [region, index] of left.slice(0, 500)) {
    body.append(el("tr", {}, el("td", {}, opener(index)), el("td.cut", { title: region.function }, region.function),
      el("td.number", {}, percent(region.coverage)), el("td.number", {}, factor(region.sp)), el("td.wrap", {}, sentence(region.reason))));
  }
  if (left.length > 500) body.append(el("tr", {}, el("td.wrap", { colspan: 5 }, `and ${grouped(left.length - 500)} smaller ones: see the table of regions`)));
}

// ---- Charts ----

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElementNS(SVG, tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes ?? {})) if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.flat());
  return node;
}

/** Shows a region beside the pointer, or beside an element that has the focus. */
const tip = byId("tip");
function showTip(index, extra, x, y) {
  const region = regions[index];
  const lines = [];
  for (let number = region.line; region.line && number <= Math.min(region.end_line, region.line + 5); number += 1) {
    const text = lineOf(region.file, number);
    if (text !== undefined) lines.push(text.replaceAll("\t", "    "));
  }
  const indent = Math.min(...lines.filter((text) => /^ *[^\s#]/.test(text)).map((text) => text.search(/\S/)), 60);
  const shownLines = lines.map((text) => (/^ *#/.test(text) ? text.trim() : text.slice(indent)).slice(0, 80));
  tip.replaceChildren(el("b", {}, region.place), " ", region.function, el("div.badge-row", {}, badge(region), ...extra.map((text) => el("span", {}, text))), lines.length ? el("pre", {}, shownLines.join("\n")) : "");
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = clamp(x + 14, 4, Math.max(4, innerWidth - width - 8)) + "px";
  tip.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
addEventListener("scroll", hideTip, { passive: true, capture: true });

/** At most `count` round numbers from `low` to `high`, in even steps. */
function ticks(low, high, count) {
  const step = 10 ** Math.floor(Math.log10(Math.max(high - low, 1e-9) / count));
  const by = [1, 2, 5, 10].find((n) => (high - low) / (n * step) <= count) * step;
  const out = [];
  for (let at = Math.ceil(low / by) * by; at <= high + by / 1e6; at += by) out.push(at);
  return out;
}

// ---- The p-chart ----

{
  const [REGION, PARENT, LEVEL, START, WORK, COUNT, TOTAL, SELF] = [0, 1, 2, 3, 4, 5, 6, 7];
  const width = 1200, height = 460, left = 78, right = 24, top = 14, bottom = 40, gap = 3;
  const pchart = byId("pchart");
  let chart = null, letters = new Map(), from = 0, to = 1, at = -1, which = TOTAL, drawn = [];
  const area = svg("g"), axes = svg("g"), clip = svg("clipPath", { id: "plot" }, svg("rect", { x: left, y: 0, width: width - left - right, height: height - bottom + 1 }));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" }, svg("defs", {}, clip), axes, svg("g", { "clip-path": "url(#plot)" }, area));
  pchart.append(picture);

  const x = (unit) => left + (unit - from) / (to - from) * (width - left - right);
  let octaves = 1;
  const y = (parallelism) => height - bottom - Math.log2(Math.max(parallelism, 1)) / octaves * (height - top - bottom);
  const power = (n) => n < 20 ? grouped(2 ** n) : short(2 ** n);

  function draw() {
    const plot = width - left - right, all = chart.work || 1;
    octaves = Math.max(1, ...chart.boxes.map((box) => Math.log2(Math.max(1, box[which] ?? 1)))) * 1.04;
    const every = Math.max(1, Math.ceil(octaves / 9));
    const marks = Array.from({ length: Math.floor(octaves / every) + 1 }, (_, n) => n * every);
    const places = ticks(from / all * 100, to / all * 100, 9);
    const digits = clamp(Math.ceil(-Math.log10((to - from) / all * 100 / 9)), 0, 8);
    axes.replaceChildren(
      ...marks.map((n) => [svg("line.grid", { x1: left, x2: width - right, y1: y(2 ** n), y2: y(2 ** n) }), svg("text", { x: left - 7, y: y(2 ** n) + 4, "text-anchor": "end" }, power(n))]).flat(),
      ...places.map((p) => [svg("line.grid", { x1: x(p / 100 * all), x2: x(p / 100 * all), y1: top, y2: height - bottom }), svg("text", { x: x(p / 100 * all), y: height - bottom + 16, "text-anchor": "middle" }, p.toFixed(digits) + "%")]).flat(),
      svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, `share of the program’s work (100% = ${short(all)} units)`),
      svg("text", { x: 13, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${(top + height - bottom) / 2})` }, which === TOTAL ? "total parallelism" : "self-parallelism"));
    drawn = [];
    const shapes = [], names = [];
    for (let number = 0; number < chart.boxes.length && drawn.length < 6000; number += 1) {
      const box = chart.boxes[number];
      const start = Math.max(box[START], from), end = Math.min(box[START] + box[WORK], to);
      const wide = (end - start) / (to - from) * plot;
      if (wide < 0.4) continue;
      drawn.push(number);
      const region = regions[box[REGION]];
      // A box inside one that is as high would hide its edge: each level is a little narrower.
      const inset = Math.min(box[LEVEL] * 0.6, wide / 4, gap);
      const high = y(box[which] ?? 1), tall = Math.max(3, height - bottom - high);
      shapes.push(svg(`rect.box.${region?.class ?? "SERIAL"}${box[which] === null ? ".unknown" : ""}${number === at ? ".at" : ""}`, {
        x: (x(start) + inset).toFixed(2), y: (height - bottom - tall).toFixed(2), width: Math.max(0.6, wide - 2 * inset).toFixed(2), height: tall.toFixed(2), "data-box": number }));
      const letter = letters.get(box[REGION]);
      if (letter && wide > 7 * letter.length + 12) names.push({ letter, wide, middle: (x(start) + x(end)) / 2, line: height - bottom - tall + (tall > 16 ? 13 : -3) });
    }
    area.replaceChildren(...shapes, ...uncovered(names));
    byId("chart-range").textContent = from === 0 && to === all ? "" : `${(from / all * 100).toFixed(digits)}% to ${(to / all * 100).toFixed(digits)}%`;
  }

  /** Letters at the same place become one text; those that would lie on others move down a few times, then stay away. */
  function uncovered(names) {
    const texts = [];
    for (const { letter, middle, line, wide } of names) {
      const same = texts.find((other) => Math.abs(other.middle - middle) < 8 && Math.abs(other.line - line) < 12 && (other.text.length + letter.length + 1) * 7.5 < Math.min(wide, other.wide));
      if (same) { same.text += " " + letter; continue; }
      texts.push({ text: letter, middle, line, wide });
    }
    const taken = [];
    return texts.map(({ text, middle, line }) => {
      const half = text.length * 3.8 + 2;
      for (let tries = 0, at = line; tries < 6 && at < height - bottom - 2; tries += 1, at += 13) {
        if (taken.some((other) => Math.abs(other.at - at) < 12 && Math.abs(other.middle - middle) < half + other.half)) continue;
        taken.push({ at, middle, half });
        return svg("text.letter", { x: middle.toFixed(1), y: at.toFixed(1) }, text);
      }
      return null;
    }).filter(Boolean);
  }

  function view(newFrom, newTo) {
    const all = chart.work || 1, least = Math.min(all, Math.max(all / 1e7, 1));
    const span = clamp(newTo - newFrom, least, all);
    from = clamp(newFrom + (newTo - newFrom - span) / 2, 0, all - span);
    to = from + span;
    hideTip();
    requestAnimationFrame(draw);
  }
  const zoom = (by, around = (from + to) / 2) => view(around - (around - from) * by, around + (to - around) * by);
  const unitAt = (clientX) => { const box = picture.getBoundingClientRect(); return from + ((clientX - box.left) / box.width * width - left) / (width - left - right) * (to - from); };
  const facts = (box) => [box[COUNT] > 1 ? `${grouped(box[COUNT])} instances` : "1 instance", `${percent(box[WORK] / (chart.work || 1))} of the work`, `total parallelism ${factor(box[TOTAL])}`, `self-parallelism ${factor(box[SELF])}`];

  function light(region) {
    pchart.classList.toggle("lit", region !== null);
    for (const shape of area.querySelectorAll("rect.box")) shape.classList.toggle("same", region !== null && chart.boxes[shape.dataset.box][REGION] === region);
  }

  function walk(number) {
    if (number < 0 || number >= chart.boxes.length) return;
    at = number;
    const box = chart.boxes[at];
    if (box[START] < from || box[START] + box[WORK] > to) {
      const span = Math.max(to - from, box[WORK] * 1.2), middle = box[START] + box[WORK] / 2;
      view(middle - span / 2, middle + span / 2);
    }
    draw();
    const shape = area.querySelector("rect.at");
    if (box[REGION] === null) return;
    const place = (shape ?? picture).getBoundingClientRect();
    showTip(box[REGION], facts(box), (place.left + place.right) / 2, place.top + 20);
    say([letters.get(box[REGION]), regions[box[REGION]].id, ...facts(box)].join(", "));
  }
  /** To the next box of the same depth, before (-1) or behind (1). */
  function beside(step) {
    if (at < 0) return walk(drawn[0] ?? 0);
    for (let number = at + step; number >= 0 && number < chart.boxes.length; number += step) if (chart.boxes[number][LEVEL] === chart.boxes[at][LEVEL]) return walk(number);
  }

  pchart.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = to - from;
    const keys = {
      ArrowRight: () => event.shiftKey ? view(from + span / 5, to + span / 5) : beside(1), ArrowLeft: () => event.shiftKey ? view(from - span / 5, to - span / 5) : beside(-1),
      ArrowUp: () => at < 0 ? walk(drawn[0] ?? 0) : walk(chart.boxes[at][PARENT] ?? -1), ArrowDown: () => walk(at < 0 ? drawn[0] ?? 0 : chart.boxes.findIndex((box) => box[PARENT] === at)),
      "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), "0": () => view(0, chart.work),
      Enter: () => { if (at >= 0 && chart.boxes[at][REGION] !== null) { hideTip(); select(chart.boxes[at][REGION], pchart); } },
    };
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  const middle = () => at < 0 ? (from + to) / 2 : clamp(chart.boxes[at][START] + chart.boxes[at][WORK] / 2, from, to);
  pchart.addEventListener("wheel", (event) => {
    // Someone who scrolls the page past the chart does not want to zoom.
    const whole = from === 0 && to === (chart.work || 1);
    if (whole && (event.deltaY > 0 || !(event.ctrlKey || document.activeElement === pchart))) return;
    event.preventDefault();
    zoom(1.0018 ** clamp(event.deltaY * (event.deltaMode ? 30 : 1), -400, 400), unitAt(event.clientX));
  }, { passive: false });
  let drag = null;
  pchart.addEventListener("pointerdown", (event) => { if (event.button === 0) drag = { x: event.clientX, from, to, moved: false, box: event.target.dataset?.box }; });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    if (!drag.moved && Math.abs(event.clientX - drag.x) < 4) return;
    drag.moved = true;
    pchart.classList.add("drag");
    const units = (drag.x - event.clientX) / picture.getBoundingClientRect().width * width / (width - left - right) * (drag.to - drag.from);
    view(drag.from + units, drag.to + units);
  });
  addEventListener("pointerup", () => {
    if (drag && !drag.moved && drag.box !== undefined && chart.boxes[drag.box][REGION] !== null) { at = Number(drag.box); hideTip(); select(chart.boxes[at][REGION], pchart); draw(); }
    drag = null;
    pchart.classList.remove("drag");
  });
  pchart.addEventListener("dblclick", (event) => {
    const box = chart.boxes[event.target.dataset?.box];
    if (box) view(box[START] - box[WORK] * 0.05, box[START] + box[WORK] * 1.05);
  });
  area.addEventListener("pointermove", (event) => {
    const box = chart.boxes[event.target.dataset?.box];
    if (!box || box[REGION] === null || drag?.moved) return;
    showTip(box[REGION], [letters.get(box[REGION]) ?? "", ...facts(box)], event.clientX, event.clientY);
  });
  area.addEventListener("pointerleave", hideTip);
  pchart.addEventListener("blur", hideTip);
  byId("zoom-in").addEventListener("click", () => zoom(0.5, middle()));
  byId("zoom-out").addEventListener("click", () => zoom(2, middle()));
  byId("zoom-all").addEventListener("click", () => view(0, chart.work || 1));
  byId("chart-height").addEventListener("change", () => { which = byId("chart-height").value === "self" ? SELF : TOTAL; draw(); });

  function show(number) {
    chart = data.charts[number];
    [from, to, at] = [0, chart.work || 1, -1];
    letters = new Map(chart.legend.map((row) => [row.region, row.letter]));
    byId("chart-pruned").textContent = chart.pruned;
    byId("letters-table").querySelector("tbody").replaceChildren(...chart.legend.filter((row) => row.region !== null).map((row) => {
      const region = regions[row.region];
      return el("tr", { onpointerenter: () => light(row.region), onpointerleave: () => light(null) }, el("td", {}, el("b", {}, row.letter)), el("td.cut", {}, opener(row.region)), el("td.cut", { title: region.function }, region.function), el("td", {}, badge(region)), el("td", {}, region.type),
        el("td.number", {}, percent(row.work / (chart.work || 1))), el("td.number", {}, factor(row.total)), el("td.number", {}, factor(row.own)), el("td.number", {}, grouped(row.boxes)), el("td.number", {}, grouped(row.instances)));
    }));
    draw();
  }
  data.charts.forEach((_, number) => byId("chart-run").append(el("option", { value: number }, `${number + 1}: ${data.profiles[number].command}`)));
  byId("chart-run-label").hidden = data.charts.length < 2;
  byId("chart-run").addEventListener("change", () => show(Number(byId("chart-run").value)));
  if (data.charts.length) show(0); else byId("chart").hidden = true;
}

// ---- Effort: which region next ----

{
  const { steps, start } = data.effort;
  byId("effort-rules").textContent = data.effort.rules;
  const rows = steps.map((step, place) => {
    const region = regions[step.region];
    return el("tr", {}, el("td.number", {}, String(place + 1)), el("td.cut", {}, opener(step.region)), el("td.cut", { title: region.function }, region.function), el("td", {}, badge(region)), el("td", {}, region.type),
      el("td.number", {}, grouped(step.lines) + (step.counted ? "" : " *")), el("td.number", {}, grouped(step.lines_so_far)), el("td.number", {}, times(step.relative)), el("td.number", {}, times(step.overall)));
  });
  const body = byId("effort-table").querySelector("tbody");
  body.append(...rows);
  if (!rows.length) body.append(el("tr", {}, el("td", { colspan: 9 }, "No region brings enough.")));
  byId("effort-star").hidden = steps.every((step) => step.counted);

  const width = 1200, height = 320, left = 84, right = 20, top = 16, bottom = 44;
  const lines = Math.max(1, steps.at(-1)?.lines_so_far ?? 1), most = Math.max(steps.at(-1)?.overall ?? 1, start * 1.01);
  const log = most / start > 20;
  const scale = (v) => log ? Math.log2(v / start) / Math.log2(most / start) : (v - start) / (most - start);
  const x = (v) => left + v / lines * (width - left - right), y = (v) => height - bottom - scale(v) * (height - top - bottom);
  const marks = log ? Array.from({ length: 60 }, (_, n) => 2 ** n).filter((v) => v > start && v <= most) : ticks(start, most, 5).filter((v) => v - start > (most - start) / 12);
  marks.unshift(start);
  const thin = Math.ceil(marks.length / 8);
  const chart = byId("effort-chart");
  if (!steps.length) chart.hidden = true;
  let path = `M${x(0)} ${y(start)}`;
  for (const step of steps) path += `H${x(step.lines_so_far).toFixed(1)}V${y(step.overall).toFixed(1)}`;
  const dots = steps.map((step, place) => {
    const dot = svg("circle." + regions[step.region].class, { cx: x(step.lines_so_far).toFixed(1), cy: y(step.overall).toFixed(1), r: steps.length > 60 ? 3 : 5, fill: "currentColor",
      tabindex: place < 60 ? 0 : null, role: "button", "aria-label": `Step ${place + 1}: ${regions[step.region].id}, ${step.lines} lines, speedup ${times(step.overall)}` });
    const notes = [`step ${place + 1}`, `${step.lines} lines`, `${times(step.relative)}, in all ${times(step.overall)}`];
    dot.addEventListener("pointermove", (event) => showTip(step.region, notes, event.clientX, event.clientY));
    dot.addEventListener("pointerleave", hideTip);
    dot.addEventListener("focus", () => { const box = dot.getBoundingClientRect(); showTip(step.region, notes, box.right, box.bottom); });
    dot.addEventListener("blur", hideTip);
    dot.addEventListener("click", () => { hideTip(); select(step.region, dot); });
    dot.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { select(step.region, dot); event.preventDefault(); } });
    return dot;
  });
  chart.append(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Speedup of the program by lines of code changed; every step is a button" },
    marks.filter((_, n) => n % thin === 0).map((v) => [svg("line.grid", { x1: left, x2: width - right, y1: y(v), y2: y(v) }), svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, times(v).replace(/\.?0+×/, "×"))]).flat(),
    ticks(0, lines, 10).map((v) => [svg("line.grid", { x1: x(v), x2: x(v), y1: top, y2: height - bottom }), svg("text", { x: x(v), y: height - bottom + 17, "text-anchor": "middle" }, grouped(v))]).flat(),
    svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "lines of code in the regions changed so far"),
    svg("text", { x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, "speedup" + (log ? " (log)" : "")),
    svg("path.step", { d: path }), dots));
}

// ---- Types ----

{
  byId("types-rules").textContent = data.types;
  const order = ["DLP", "perfect-TLP", "partial-TLP", "mixed-TLP", "no-TLP", "ILP", ""];
  const shares = order.map((type) => [type, regions.reduce((sum, r) => sum + (r.type === type ? r.own : 0), 0), regions.filter((r) => r.type === type).length]).filter(([, , count]) => count);
  const bar = byId("types-bar");
  for (const [type, share, count] of shares) {
    const name = type || "unknown";
    bar.append(el("button.type-" + name, { type: "button", style: `flex-grow:${Math.max(share, 0.004).toFixed(4)}`, title: `${name}: ${percent(share)} of the work is done in ${grouped(count)} such regions`,
      "aria-label": `${name}: ${percent(share)} of the work; show its regions`, onclick: () => { byId("type").value = type; fillGrid(); byId("regions").scrollIntoView(); grid.focus({ preventScroll: true }); } },
      share > 0.06 ? `${name} ${percent(share)}` : ""));
    byId("types-legend").append(el("li", {}, el("i.type-" + name, { "aria-hidden": "true" }), `${name}: ${percent(share)} of the work, ${grouped(count)} ${count === 1 ? "region" : "regions"}`));
    if (type) byId("type").append(el("option", { value: type }, type));
  }
  const body = byId("types-table").querySelector("tbody");
  const most = regions.map((region, index) => [region, index]).filter(([region]) => region.why).sort(([a], [b]) => b.coverage - a.coverage).slice(0, 40);
  for (const [region, index] of most) {
    body.append(el("tr", {}, el("td.cut", {}, opener(index)), el("td.cut", { title: region.function }, region.function), el("td", {}, region.type || "?"), el("td.number", {}, percent(region.coverage)), el("td.number", {}, factor(region.tp)), el("td.wrap", {}, sentence(region.why))));
  }
}

// ---- Table of regions ----

const ROW = 31;
const byText = (pick) => ({ compare: (a, b) => pick(a).localeCompare(pick(b), "en", { numeric: true }), show: pick });
const byNumber = (pick, show) => ({ number: true, compare: (a, b) => (pick(a) ?? -1) - (pick(b) ?? -1), show: (r) => show(pick(r)) });
const COLUMNS = [
  { name: "Region", ...byText((r) => r.place) },
  { name: "Function", ...byText((r) => r.function) },
  { name: "Class", ...byText((r) => r.words) },
  { name: "Type", ...byText((r) => r.type), title: "of the type scan" },
  { name: "Coverage", ...byNumber((r) => r.coverage, percent), share: (r) => r.coverage, title: "share of the program’s work in it and all it contains" },
  { name: "Own", ...byNumber((r) => r.own, percent), share: (r) => r.own, title: "share of the program’s work in no loop or function inside it" },
  { name: "Self-par.", ...byNumber((r) => r.sp, factor), title: "self-parallelism" },
  { name: "Total-par.", ...byNumber((r) => r.tp, factor), title: "total parallelism" },
  { name: "Alone", ...byNumber((r) => r.speedup, times), title: "ideal speedup of the program by this region alone" },
  { name: "Work", ...byNumber((r) => r.work, short), title: "in units of latency" },
  { name: "Crit. path", ...byNumber((r) => r.cp, (cp) => cp === null ? "?" : short(cp)), title: "critical path, in units of latency" },
  { name: "Instances", ...byNumber((r) => r.instances, units) },
  { name: "Iterations", ...byNumber((r) => r.iterations?.[2], () => ""), show: iterations, title: "of one instance" },
  { name: "Plan", number: true, compare: (a, b) => (b.rank ?? Infinity) - (a.rank ?? Infinity) || 0, show: (r) => r.rank ? String(r.rank) : "", title: "place in the plan" },
];
const grid = byId("grid"), gridBody = grid.querySelector("tbody");
let sorting = { column: 4, down: true }, shown = [], active = -1, flat = false;

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
    const text = () => `${region.id} ${files[region.file].name} ${region.function} ${region.words} ${region.class} ${region.type ?? ""}`.toLowerCase();
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
        if (number === 0) return el("td.cut", {}, el("button.link", { type: "button", tabindex: -1, title: region.id }, text));
        if (column.share) return el("td.number.share", { style: `--share:${(column.share(region) * 100).toFixed(2)}` }, text);
        if (number === 2) return el("td", {}, badge(region));
        return el(column.number ? "td.number" : "td.cut", column.number ? {} : { title: text }, text);
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
  say(`${region.place} in ${region.function}, ${region.words}, coverage ${percent(region.coverage)}`);
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

// ---- Source view ----

const LINE = 18;
const code = byId("code"), codeSpace = byId("code-space"), codeLines = byId("code-lines");
let file = -1, rows = [], bars = [], levels = 0, picked = 0;
const barsOf = new Map();
/** The file's name as short as is unambiguous. */
const shortName = (number) => regions.find((region) => region.file === number && region.line)?.place.replace(/:[0-9?-]+$/, "") ?? files[number].name;

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
  const open = [];
  let columns = 0;
  for (const bar of list) {
    bar.members.sort((a, b) => regions[b].coverage - regions[a].coverage);
    while (open.length && open[open.length - 1].end < bar.line) open.pop();
    bar.level = open.length;
    open.push(bar);
    columns = Math.max(columns, bar.level + 1);
  }
  const result = { list, columns: Math.min(columns, 12) };
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
  ({ list: bars, columns: levels } = regionsOf(number));
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
  codeSpace.style.width = `calc(${longest}ch + ${levels * 8 + 6}px + 18rem)`;
  code.scrollTop = 0;
  code.scrollLeft = 0;
  drawCode();
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
  if (row.gap) return el("div.row.gap", {}, el("span.no", {}, "⋮"), el("span.text", {}, "  nothing ran here"));
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
      "aria-label": `${region.id}, ${region.words}, coverage ${percent(region.coverage)}, self-parallelism ${factor(region.sp)}` },
      `${percent(region.coverage)}  ${factor(region.sp)}${starts.length > 1 ? " +" + (starts.length - 1) : ""}`));
  }
  return el(row.number === picked ? "div.row.pick" : "div.row", { "data-line": row.number }, el("span.gutter", {}, gutter), el("span.no", {}, String(row.number)), annotation,
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
files.forEach((entry, number) => {
  const own = regions.reduce((sum, region) => sum + (region.file === number ? region.own : 0), 0);
  byId("file").append(el("option", { value: number }, `${percent(own)}  ${shortName(number)}${entry.parts.length ? "" : "  (no source)"}`));
});
byId("file").addEventListener("change", () => { picked = 0; showFile(Number(byId("file").value)); });
byId("hot").addEventListener("click", () => {
  const busiest = regions.filter((region) => region.file === file && region.line).reduce((most, region) => most && most.own >= region.own ? most : region, null);
  if (busiest) showLine(busiest.line);
});

// ---- A region's details ----

const drawer = byId("drawer"), drawerBody = byId("drawer-body");
let current = -1, comeFrom = null;
const children = new Map();
regions.forEach((region, index) => region.parents.forEach((parent) => children.set(parent, [...(children.get(parent) ?? []), index])));

/** Opens the details of a region; closing gives the focus back to `from`. */
function select(index, from) {
  const region = regions[index];
  if (drawer.hidden) comeFrom = from ?? document.activeElement;
  current = index;
  byId("drawer-title").textContent = region.id;
  const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];
  const list = (title, indexes) => indexes.length ? [el("h3", {}, title), el("ul", {}, indexes.slice(0, 12).map((i) => el("li", {}, opener(i), ` ${regions[i].function}, ${percent(regions[i].coverage)}`)),
    indexes.length > 12 ? el("li", {}, `and ${grouped(indexes.length - 12)} more`) : null)] : [];
  const inside = (children.get(index) ?? []).filter((i) => i !== index).sort((a, b) => regions[b].coverage - regions[a].coverage);
  drawerBody.replaceChildren(
    el("p.badge-row", {}, badge(region), el("span", {}, region.function)),
    el("p", {}, el("button", { type: "button", onclick: () => { showFile(region.file); showLine(region.line); byId("source").scrollIntoView(); if (innerWidth < 1500) close(); code.focus({ preventScroll: true }); } }, "Show in the source view")),
    el("dl.facts", {},
      fact("File", files[region.file].name),
      fact("Lines", region.line ? `${region.line} to ${region.end_line}` : "unknown"),
      fact("Coverage", `${percent(region.coverage)} (own ${percent(region.own)})`),
      fact("Type", region.type || "unknown"), fact("Self-parallelism", factor(region.sp)), fact("Total parallelism", factor(region.tp)),
      fact("Speedup alone", times(region.speedup)),
      fact("Work", units(region.work)), fact("Critical path", units(region.cp)), fact("Instances", units(region.instances)),
      region.iterations ? fact("Iterations", `${iterations(region)} each (${grouped(region.iterations[1])} to ${grouped(region.iterations[3])}), ${grouped(region.iterations[0])} in all${region.counted ? ", counted" : ""}`) : [],
      region.recursive ? fact("Recursive", "yes: coverage and work are over its outermost instances") : []),
    el("h3", {}, region.rank ? `In the plan, number ${region.rank}` : "Not in the plan"),
    ...(region.rank ? [el("p", {}, `Brings ${times(region.speedup)} alone, ${times(region.so_far)} with all above it.`)] : [el("p", {}, sentence(region.reason ?? "less than 0.1% of the work"))]),
    notes(region) ?? "",
    ...(region.why ? [el("h3", {}, "Type of parallelism"), el("p", {}, sentence(`${region.type || "Unknown"}: ${region.why}`))] : []),
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

// ---- Blind spots, provenance ----

const blindBody = byId("blind-body");
for (const remark of data.remarks) blindBody.append(el("p.note", {}, remark));
if (data.blind_spots.length) {
  const more = Math.max(0, data.blind_spots.length - 200);
  blindBody.append(
    el("p", {}, "These functions could not be looked into. What they read and write in memory is not known; dependences through them are missing, and regions that call them may look more parallel than they are."),
    el("div.scroll", { tabindex: 0, role: "group", "aria-label": "Functions that could not be looked into" }, el("table", { "aria-labelledby": "blind-title" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Function"), el("th.number", { scope: "col" }, "Calls"))),
      el("tbody", {}, data.blind_spots.slice(0, 200).map(([name, calls]) => el("tr", {}, el("td", {}, name), el("td.number", {}, grouped(calls))))))),
    more ? el("p.quiet", {}, `and ${grouped(more)} more`) : "");
} else if (!data.remarks.length) {
  blindBody.append(el("p", {}, "None: every function that was called could be looked into or has a model, and the program ended by itself."));
}
const without = files.filter((entry) => !entry.parts.length).length;
if (without) blindBody.append(el("p.quiet", {}, `${grouped(without)} of ${grouped(files.length)} source files are not shown; the source view says why.`));

for (const profile of data.profiles) {
  const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
  byId("profiles").append(el("dl.facts", {},
    fact("Command", profile.command), fact("Directory", profile.directory),
    fact("Recorded", new Date(profile.started * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC, in " + (profile.duration_ms / 1000).toFixed(1) + " s"),
    fact("Machine", profile.machine), fact("Measured", profile.measured),
    fact("Work", units(profile.work)), fact("Critical path", units(profile.critical_path)), fact("Version", "parascan " + profile.parascan)));
}

// ---- Start, printing ----

fillGrid();
showFile(0);
byId("hot").click();
addEventListener("resize", () => { drawGrid(); drawCode(); });
addEventListener("beforeprint", () => { flat = true; if (left.length <= 60) byId("left").open = true; fillLeft(); drawGrid(); });
addEventListener("afterprint", () => { flat = false; drawGrid(); });
function fromAddress() {
  const wanted = /^#region=(.*)$/.exec(location.hash);
  if (!wanted) return;
  let id = "";
  try { id = decodeURIComponent(wanted[1]); } catch { return; }
  const index = regions.findIndex((region) => region.id === id);
  if (index >= 0) select(index);
}
addEventListener("hashchange", fromAddress);
fromAddress();
})();
