// What the charts share: SVG elements, what is shown beside the pointer, round numbers, axes.

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElementNS(SVG, tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes ?? {})) if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.flat());
  return node;
}

/** Shows something beside the pointer, or beside an element that has the focus. */
const tip = byId("tip");
function showBeside(content, x, y) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = clamp(x + 14, 4, Math.max(4, innerWidth - width - 8)) + "px";
  tip.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18) + "px";
}
/** Shows a region there. */
function showTip(index, extra, x, y) {
  const region = regions[index];
  const lines = [];
  for (let number = region.line; region.line && number <= Math.min(region.end_line, region.line + 5); number += 1) {
    const text = lineOf(region.file, number);
    if (text !== undefined) lines.push(text.replaceAll("\t", "    "));
  }
  const indent = Math.min(...lines.filter((text) => /^ *[^\s#]/.test(text)).map((text) => text.search(/\S/)), 60);
  const shownLines = lines.map((text) => (/^ *#/.test(text) ? text.trim() : text.slice(indent)).slice(0, 80));
  showBeside([region.letter ? el("b", {}, region.letter + " ") : "", el("b", {}, region.place), " ", region.function, el("div.badge-row", {}, badge(region), ...extra.map((text) => el("span", {}, text))), region.stops ? el("div", {}, "Stopped: " + region.stops) : "", lines.length ? el("pre", {}, shownLines.join("\n")) : ""], x, y);
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
/** The powers of `base` from `low`, which is more than zero, to `high`. */
function powers(base, low, high) {
  const out = [];
  if (!(low > 0)) return out;
  for (let n = Math.ceil(Math.log(low) / Math.log(base) - 1e-9); base ** n <= high * (1 + 1e-9); n += 1) out.push(base ** n);
  return out;
}

/** The axes of a chart whose plot leaves `left`, `right`, `top` and `bottom` of `width` and `height`. Each axis has a
 * title and marks; a mark is where it is in pixels, what it says, and whether a line crosses the plot there. */
function axes({ width, height, left, right, top, bottom }, across, upward) {
  const base = height - bottom, middle = (top + base) / 2;
  return [
    ...upward.marks.flatMap(({ at, text, line }) => [line ? svg("line.grid", { x1: left, x2: width - right, y1: at, y2: at }) : "", svg("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, text)]),
    ...across.marks.flatMap(({ at, text, line }) => [line ? svg("line.grid", { x1: at, x2: at, y1: top, y2: base }) : "", svg("text", { x: at, y: base + 17, "text-anchor": "middle" }, text)]),
    svg("text", { x: (left + width - right) / 2, y: height - 7, "text-anchor": "middle" }, across.title),
    svg("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, upward.title),
  ].filter((node) => node !== "");
}
