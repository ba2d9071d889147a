// The p-chart: zoom, movement, keyboard.

{
  const [REGION, PARENT, LEVEL, START, WORK, COUNT, TOTAL, SELF] = [0, 1, 2, 3, 4, 5, 6, 7];
  const width = 1200, height = 460, left = 78, right = 24, top = 14, bottom = 40;
  const pchart = byId("pchart");
  let chart = null, letters = new Map(), from = 0, to = 1, at = -1, which = TOTAL, drawn = [];
  const area = svg("g"), scales = svg("g"), clip = svg("clipPath", { id: "plot" }, svg("rect", { x: left, y: 0, width: width - left - right, height: height - bottom + 1 }));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" }, svg("defs", {}, clip), scales, svg("g", { "clip-path": "url(#plot)" }, area));
  pchart.append(picture);
  // What letters are drawn in, as the page's style has it.
  const sample = svg("text.letter", {});
  picture.append(sample);
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(sample), size = Number.parseFloat(fontSize), widthOf = measure(`${fontWeight} ${fontSize} ${fontFamily}`);
  sample.remove();

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
    scales.replaceChildren(...axes({ width, height, left, right, top, bottom },
      { title: `share of the program’s work (100% = ${short(all)} units)`, marks: places.map((p) => ({ at: x(p / 100 * all), text: p.toFixed(digits) + "%", line: true })) },
      { title: which === TOTAL ? "total parallelism" : "self-parallelism", marks: marks.map((n) => ({ at: y(2 ** n), text: power(n), line: true })) }));
    drawn = [];
    const shapes = [], names = [], edge = (box) => Math.min(y(box[which] ?? 1), height - bottom - 3);
    for (let number = 0; number < chart.boxes.length && drawn.length < 6000; number += 1) {
      const box = chart.boxes[number];
      const start = Math.max(box[START], from), end = Math.min(box[START] + box[WORK], to);
      const wide = (end - start) / (to - from) * plot;
      if (wide < 0.4) continue;
      drawn.push(number);
      const high = edge(box), tall = height - bottom - high;
      shapes.push({ high, level: box[LEVEL], shape: svg(`rect.box${wide < 3 ? ".thin" : ""}${box[which] === null ? ".unknown" : ""}${number === at ? ".at" : ""}`, {
        x: x(start).toFixed(2), y: high.toFixed(2), width: Math.max(0.6, wide).toFixed(2), height: tall.toFixed(2), "data-box": number, style: `fill:var(--d${box[LEVEL] % 7})` }) });
      const letter = letters.get(box[REGION]);
      if (letter) names.push({ letter, start: x(start), end: x(end), top: high });
    }
    // The lowest are in front, so that the top of each is seen; of equally high ones the inner.
    shapes.sort((a, b) => a.high - b.high || a.level - b.level);
    area.replaceChildren(...shapes.map((one) => one.shape),
      ...placeLetters(names, { left, right: width - right, top: 0, bottom: height - bottom }, size, widthOf).map((one) => svg("text.letter", { x: one.x.toFixed(1), y: one.y.toFixed(1) }, one.text)));
    byId("chart-range").textContent = from === 0 && to === all ? "" : `${(from / all * 100).toFixed(digits)}% to ${(to / all * 100).toFixed(digits)}%`;
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
    // One letter for a region in the whole page: that of all runs together.
    letters = new Map(chart.legend.map((row) => [row.region, regions[row.region]?.letter ?? row.letter]));
    const levels = [...new Set(chart.boxes.map((box) => box[LEVEL]))].sort((a, b) => a - b);
    byId("chart-key").replaceChildren(...levels.slice(0, 7).map((level) => el("li", {}, el("i", { "aria-hidden": "true", style: `background:var(--d${level % 7})` }), `depth ${[...levels.filter((other) => other % 7 === level % 7)].slice(0, 3).join(", ")}`)));
    byId("chart-pruned").textContent = chart.pruned;
    fillSome(byId("letters-table").querySelector("tbody"), chart.legend.filter((row) => row.region !== null), (row) => {
      const region = regions[row.region];
      return el("tr", { onpointerenter: () => light(row.region), onpointerleave: () => light(null) }, el("td", {}, el("b", {}, letters.get(row.region))), el("td.cut", {}, opener(row.region)), el("td.cut", { title: wholeName(region) }, region.function), el("td", {}, badge(region)), el("td", {}, region.type), el("td.cut", { title: region.stops }, region.stops ?? ""),
        el("td.number", {}, percent(row.work / (chart.work || 1))), el("td.number", {}, factor(row.total)), el("td.number", {}, factor(row.own)), el("td.number", {}, grouped(row.boxes)), el("td.number", {}, grouped(row.instances)));
    }, 11);
    draw();
  }
  data.charts.forEach((_, number) => byId("chart-run").append(el("option", { value: number }, `${number + 1}: ${data.profiles[number].command}`)));
  byId("chart-run-label").hidden = data.charts.length < 2;
  byId("chart-run").addEventListener("change", () => show(Number(byId("chart-run").value)));
  if (data.charts.length) show(0); else byId("chart").hidden = true;
}
