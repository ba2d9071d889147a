// The parallelism profile: zoomable, stacked by class.

{
  const chart = byId("levels"), WIDTH = 1200, HEIGHT = 360, LEFT = 84, RIGHT = 36, TOP = 14, BOTTOM = 46, MOST = 400;
  let from = 0, to = 1, columns = [];
  const bins = () => current()?.columns ?? [];
  const per = () => current()?.levels_per_column ?? 1;
  const path = () => current()?.totals.critical_path ?? 0;

  /** Columns of the shown range: first and last level, operations per step by class. */
  function visible() {
    const all = bins(), first = Math.max(0, Math.floor(from)), last = Math.min(all.length, Math.ceil(to));
    const together = Math.max(1, 2 ** Math.ceil(Math.log2((last - first) / MOST)));
    const out = [];
    for (let at = first - first % together; at < last; at += together) {
      const counts = data.kinds.map(() => 0), end = Math.min(at + together, all.length);
      for (let bin = at; bin < end; bin += 1) all[bin].forEach((n, kind) => { counts[kind] += n; });
      const low = at * per() + 1, high = Math.min(end * per(), path());
      out.push({ at, end, low, high, counts, mean: counts.reduce((a, b) => a + b, 0) / (high - low + 1) });
    }
    return out;
  }

  function draw() {
    columns = visible();
    const each = columns.length ? columns[0].high - columns[0].low + 1 : 1;
    byId("range").textContent = columns.length ? `steps ${grouped(columns[0].low)} to ${grouped(columns.at(-1).high)} of ${grouped(path())}` + (each > 1 ? `; a column is ${grouped(each)} steps` : "") : "";
    const most = Math.max(...columns.map((c) => c.mean), 0);
    const log = byId("logarithmic").checked, least = Math.min(0.5, most / 10);
    const height = HEIGHT - TOP - BOTTOM, base = HEIGHT - BOTTOM;
    const share = (v) => most <= 0 || v <= 0 ? 0 : log ? Math.max(Math.log(v / least), 0) / Math.log(most * 1.2 / least) : v / (most * 1.05);
    const x = (bin) => LEFT + clamp((bin - from) / (to - from), 0, 1) * (WIDTH - LEFT - RIGHT);
    const areas = data.kinds.map(() => "");
    for (const column of columns) {
      const sum = column.mean * (column.high - column.low + 1), top = share(column.mean) * height;
      let below = 0;
      const left = x(column.at), right = x(column.end), gap = right - left >= 6 ? 1 : 0;
      column.counts.forEach((n, kind) => {
        if (!n) return;
        const y0 = base - below / sum * top, y1 = base - (below + n) / sum * top;
        below += n;
        areas[kind] += `M${left.toFixed(1)} ${y0.toFixed(1)}V${y1.toFixed(1)}H${(right - gap).toFixed(1)}V${y0.toFixed(1)}z`;
      });
    }
    const marks = log ? Array.from({ length: 40 }, (_, n) => 10 ** (n - 6)).filter((v) => v >= least && v <= most * 1.2) : ticks(0, most * 1.05, 6);
    const levels = ticks(from * per(), Math.min(to * per(), path()), 8);
    chart.replaceChildren(svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Operations per step, " + byId("range").textContent },
      marks.map((v) => [svg("line.grid", { x1: LEFT, x2: WIDTH - RIGHT, y1: base - share(v) * height, y2: base - share(v) * height }), svg("text", { x: LEFT - 8, y: base - share(v) * height + 4, "text-anchor": "end" }, v >= 1e4 ? short(v) : String(+v.toFixed(2)))]).flat(),
      levels.map((v) => [svg("line.grid", { x1: x(v / per()), x2: x(v / per()), y1: TOP, y2: base }), svg("text", { x: x(v / per()), y: base + 18, "text-anchor": "middle" }, path() >= 1e7 ? short(v) : grouped(v))]).flat(),
      areas.map((d, kind) => d ? svg("path.area", { d, fill: data.colors[kind] }) : []).flat(),
      svg("rect.at", { x: 0, y: TOP, width: 0, height }),
      svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, "steps (level of the graph)"),
      svg("text", { x: 16, y: TOP + height / 2, "text-anchor": "middle", transform: `rotate(-90 16 ${TOP + height / 2})` }, "operations per step" + (log ? " (log)" : ""))));
    byId("kinds").replaceChildren(...data.kinds.flatMap((name, kind) => {
      const n = bins().reduce((sum, bin) => sum + bin[kind], 0), all = current()?.totals.operations || 1;
      return n ? [el("li", {}, el("i", { style: `background:${data.colors[kind]}` }), `${name} ${percent(n / all)}`)] : [];
    }));
  }

  function show(low, high) {
    const all = Math.max(1, bins().length), width = clamp(high - low, Math.min(4, all), all);
    from = clamp(low, 0, all - width);
    to = from + width;
    draw();
  }
  function reset() {
    const all = bins(), sum = current()?.totals.operations ?? 0;
    const most = Math.max(0, ...all.map((bin) => bin.reduce((a, b) => a + b, 0) / per()));
    byId("logarithmic").checked = most > 24 * sum / Math.max(1, path());
    show(0, all.length);
  }
  const zoom = (by, at = 0.5) => { const middle = from + at * (to - from), width = (to - from) * by; show(middle - at * width, middle + (1 - at) * width); };
  const place = (event) => { const box = chart.getBoundingClientRect(); return clamp(((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT), 0, 1); };

  byId("zoom-in").addEventListener("click", () => zoom(0.5));
  byId("zoom-out").addEventListener("click", () => zoom(2));
  byId("zoom-all").addEventListener("click", () => show(0, bins().length));
  byId("logarithmic").addEventListener("input", draw);
  chart.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== chart) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, place(event));
  }, { passive: false });
  chart.addEventListener("keydown", (event) => {
    const step = (to - from) / 5;
    const moves = { "+": () => zoom(0.5), "-": () => zoom(2), 0: () => show(0, bins().length), ArrowLeft: () => show(from - step, to - step), ArrowRight: () => show(from + step, to + step) };
    if (event.key in moves) { moves[event.key](); event.preventDefault(); }
  });
  let dragging = null;
  chart.addEventListener("pointerdown", (event) => { dragging = { x: event.clientX, from, to }; chart.setPointerCapture(event.pointerId); chart.classList.add("drag"); });
  for (const name of ["pointerup", "pointercancel"]) chart.addEventListener(name, () => { dragging = null; chart.classList.remove("drag"); });
  chart.addEventListener("pointerleave", hideTip);
  chart.addEventListener("pointermove", (event) => {
    if (dragging) {
      const by = (dragging.x - event.clientX) / chart.getBoundingClientRect().width * WIDTH / (WIDTH - LEFT - RIGHT) * (to - from);
      show(dragging.from + by, dragging.to + by);
      return;
    }
    const at = from + place(event) * (to - from);
    const column = columns.find((c) => at >= c.at && at < c.end);
    if (!column) { hideTip(); return; }
    const marker = chart.querySelector(".at"), scale = (WIDTH - LEFT - RIGHT) / (to - from);
    marker.setAttribute("x", LEFT + Math.max(0, column.at - from) * scale);
    marker.setAttribute("width", Math.max(1, (Math.min(column.end, to) - Math.max(column.at, from)) * scale));
    const lines = data.kinds.flatMap((name, kind) => column.counts[kind] ? [`${name} ${grouped(column.counts[kind])}`] : []);
    tell([el("b", {}, column.low === column.high ? `step ${grouped(column.low)}` : `steps ${grouped(column.low)} to ${grouped(column.high)}`), ` ${factor(column.mean)} operations per step`, el("div", {}, lines.join(", "))], event);
  });
  onChoice.push(reset);
  reset();
}

/** Shows something beside the pointer. */
function tell(content, event) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = clamp(event.clientX + 14, 4, Math.max(4, innerWidth - width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 10) : event.clientY + 18) + "px";
}
