// The types of parallelism.

{
  byId("types-rules").textContent = data.types;
  const order = ["DLP", "perfect-TLP", "partial-TLP", "mixed-TLP", "no-TLP", "ILP", ""];
  const sums = new Map(order.map((type) => [type, [type, 0, 0]]));
  for (const region of regions) { const sum = sums.get(region.type); sum[1] += region.own; sum[2] += 1; }
  const shares = [...sums.values()].filter(([, , count]) => count);
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
  // Regions stand by coverage already, largest first.
  const most = [];
  for (let index = 0; index < regions.length && most.length < 40; index += 1) if (regions[index].why) most.push([regions[index], index]);
  for (const [region, index] of most) {
    body.append(el("tr", {}, el("td", {}, el("b", {}, region.letter ?? "")), el("td.cut", {}, opener(index)), el("td.cut", { title: wholeName(region) }, region.function), el("td", {}, region.type || "?"), el("td.number", {}, coverage(region)), el("td.number", {}, factor(region.tp)), el("td.wrap", {}, sentence(region.why))));
  }
}
