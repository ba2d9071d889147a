// The types of parallelism.

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
    body.append(el("tr", {}, el("td", {}, el("b", {}, region.letter ?? "")), el("td.cut", {}, opener(index)), el("td.cut", { title: region.function }, region.function), el("td", {}, region.type || "?"), el("td.number", {}, coverage(region)), el("td.number", {}, factor(region.tp)), el("td.wrap", {}, sentence(region.why))));
  }
}
