// Histograms of stretches: as many single steps as the page has room for, packed.

/** What `packed.rs` packed: so many numbers. */
function unpacked(text, length) {
  const digits = new Map([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].map((letter, n) => [letter, n]));
  const out = new Float64Array(length);
  let at = 0, place = 0;
  const next = () => {
    for (let value = 0, weight = 1; ; weight *= 32) {
      const digit = digits.get(text[at++]);
      value += digit % 32 * weight;
      if (digit < 32) return value;
    }
  };
  while (at < text.length) {
    const number = next(), run = number % 2 ? next() : 1;
    out.fill(Math.floor(number / 2), place, place += run);
  }
  return out;
}

data.stretches.forEach(({ histogram }, number) => {
  const frame = byId(`stretch-${number}`).querySelector(".steps");
  if (!histogram || !frame) return;
  const counts = histogram.counts.map((text) => unpacked(text, histogram.bins));
  const button = (text, label) => el("button", { type: "button", "aria-label": label }, text);
  const parts = {
    closer: button("+", "Zoom in"), farther: button("−", "Zoom out"), whole: button("Show all", "Show all"),
    logarithmic: el("input", { type: "checkbox" }), range: el("output"), kinds: el("ul.legend"),
    chart: el("div.chart.levels", { tabindex: 0, role: "application", "aria-label": "Instructions per step; plus and minus zoom, arrow keys move" }),
  };
  frame.append(el("h3", {}, "Instructions per step"), el("div.controls", {}, parts.closer, parts.farther, parts.whole, el("label", {}, parts.logarithmic, " logarithmic heights"), parts.range), parts.chart, parts.kinds);
  const { first, last, end, per } = histogram;
  stepsChart(parts, () => ({ bins: histogram.bins, of: (bin, kind) => counts[kind][bin], per, before: first - 1, last, end, finest: " and no less: the page has no room for more; --steps A..B shows some, each by itself" }));
});
