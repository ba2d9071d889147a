// What all parts use: the data, elements, numbers. Names reach the page as text only.

const data = JSON.parse(document.getElementById("data").textContent);
/** Rows of what `columns.rs` wrote as columns: they look their fields up, since filling them in takes a second for a
 * hundred thousand. A field that a row has not is undefined. */
function rowsOf({ count, columns }) {
  class Row { constructor(number) { this.number = number; } }
  for (const { name, rows, each, some } of columns) {
    const value = some ? (n) => some.of[some.at[n]] : (n) => each[n];
    const place = rows && new Map(rows.map((row, n) => [row, n]));
    Object.defineProperty(Row.prototype, name, { enumerable: true, get: place
      ? function () { const n = place.get(this.number); return n === undefined ? undefined : value(n); }
      : function () { return value(this.number); } });
  }
  return Array.from({ length: count }, (_, number) => new Row(number));
}
// The page of `parascan ilp` has no regions.
if (data.regions?.columns) data.regions = rowsOf(data.regions);
const { regions, files } = data;
// Names of functions are short; whole ones are titles.
const wholeName = (region) => region.whole ?? region.function;
// What was read stays with its element, so that tests can compare it with what is shown.
document.getElementById("data").read = data;

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
const coverage = (r) => r.error === undefined ? percent(r.coverage) : `${percent(r.coverage)} ±${percent(r.error)}`;
const parallelism = (r) => {
  if (r.error === undefined || r.sp === null) return factor(r.sp);
  const ends = (r.range || []).map(factor);
  return ends.every((end) => end === factor(r.sp)) ? `~${factor(r.sp)}` : `~${factor(r.sp)} (${ends.join("..")})`;
};
const units = (n) => n === null || n === undefined ? "?" : grouped(n);
/** 1234567 as 1.23 M. */
function short(n) {
  for (const [scale, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (n >= scale) return factor(n / scale) + " " + letter;
  return String(n);
}
/** Text as nodes, in which what stands between two backticks is code. */
const prose = (text) => text.split("`").map((part, n, parts) => n % 2 === 0 ? part : n < parts.length - 1 ? el("code", {}, part) : "`" + part);
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
