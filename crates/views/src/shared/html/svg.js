// What the charts share: SVG elements, the region beside the pointer, round numbers.

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
  tip.replaceChildren(region.letter ? el("b", {}, region.letter + " ") : "", el("b", {}, region.place), " ", region.function, el("div.badge-row", {}, badge(region), ...extra.map((text) => el("span", {}, text))), region.stops ? el("div", {}, "Stopped: " + region.stops) : "", lines.length ? el("pre", {}, shownLines.join("\n")) : "");
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
