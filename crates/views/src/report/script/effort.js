// The effort chart: which region next.

{
  const { steps, start } = data.effort;
  byId("effort-rules").textContent = data.effort.rules;
  const row = (step, place) => {
    const region = regions[step.region];
    return el("tr", {}, el("td.number", {}, String(place + 1)), el("td", {}, el("b", {}, region.letter ?? "")), el("td.cut", {}, opener(step.region)), el("td.cut", { title: wholeName(region) }, region.function), el("td", {}, badge(region)), el("td", {}, region.type),
      el("td.number", {}, grouped(step.lines) + (step.counted ? "" : " *")), el("td.number", {}, grouped(step.lines_so_far)), el("td.number", {}, times(step.relative)), el("td.number", {}, times(step.overall)));
  };
  const body = byId("effort-table").querySelector("tbody");
  fillSome(body, steps, row, 10);
  if (!steps.length) body.append(el("tr", {}, el("td", { colspan: 10 }, "No region brings enough.")));
  byId("effort-star").hidden = steps.every((step) => step.counted);

  const width = 1200, height = 320, left = 84, right = 20, top = 16, bottom = 44;
  const lines = Math.max(1, steps.at(-1)?.lines_so_far ?? 1), most = Math.max(steps.at(-1)?.overall ?? 1, start * 1.01);
  const log = most / start > 20;
  const scale = (v) => log ? Math.log2(v / start) / Math.log2(most / start) : (v - start) / (most - start);
  const x = (v) => left + v / lines * (width - left - right), y = (v) => height - bottom - scale(v) * (height - top - bottom);
  const marks = log ? powers(2, start, most).filter((v) => v > start) : ticks(start, most, 5).filter((v) => v - start > (most - start) / 12);
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
    ...axes({ width, height, left, right, top, bottom },
      { title: "lines of code in the regions changed so far", marks: ticks(0, lines, 10).map((v) => ({ at: x(v), text: grouped(v), line: true })) },
      { title: "speedup" + (log ? " (log)" : ""), marks: marks.filter((_, n) => n % thin === 0).map((v) => ({ at: y(v), text: times(v).replace(/\.?0+×/, "×"), line: true })) }),
    svg("path.step", { d: path }), dots));
}
