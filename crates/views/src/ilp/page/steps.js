// Histograms of stretches: as many single steps as the page has room for, packed.

data.stretches.forEach(({ histogram }, number) => {
  const frame = byId(`stretch-${number}`).querySelector(".steps");
  if (!histogram || !frame) return;
  const button = (text, label) => el("button", { type: "button", "aria-label": label }, text);
  const parts = {
    closer: button("+", "Zoom in"), farther: button("−", "Zoom out"), whole: button("Show all", "Show all"),
    logarithmic: el("input", { type: "checkbox" }), range: el("output"), kinds: el("ul.legend"),
    chart: el("div.chart.levels", { tabindex: 0, role: "application", "aria-label": "Instructions per step; plus and minus zoom, arrow keys move" }),
  };
  frame.append(el("h3", {}, "Instructions per step"), el("div.controls", {}, parts.closer, parts.farther, parts.whole, el("label", {}, parts.logarithmic, " logarithmic heights"), parts.range), parts.chart, parts.kinds);
  stepsChart(parts, () => sourceOf(histogram));
});
