// Operations per step, stacked by class: charts in which zooming puts fewer and fewer steps into a column, down to
// the bins that there are.

/** Most columns; as many bins or fewer have one each. */
const MOST_COLUMNS = 400;

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

/** What to say where no column is narrower: the command that shows these steps alone, which are few enough for
 * narrower columns. */
function closer(low, high) {
  const steps = `${low}..${high}`;
  if (!data.again.length) return [` and no less; --steps ${steps} shows these alone`];
  return [" and no less; narrower are those of ", el("code", {}, data.again.map((word) => word ?? steps).join(" "))];
}

/** Numbers by bin and class of a packed histogram, unpacked when they are first needed. */
const unpackedCounts = new WeakMap();
function sourceOf({ counts, bins, first, last, end, per }) {
  if (!unpackedCounts.has(counts)) unpackedCounts.set(counts, counts.map((text) => unpacked(text, bins)));
  const all = unpackedCounts.get(counts);
  return { bins, of: (bin, kind) => all[kind][bin], per, before: first - 1, last, end };
}
const NOTHING = { counts: [], bins: 0, first: 1, last: 0, end: 0, per: 1 };

/** A chart within `parts`: elements `chart`, `range` and `kinds`, the box `logarithmic`, the buttons `closer`,
 *  `farther` and `whole`. `source` tells of what: `bins` (how many), `of(bin, kind)` (operations), `per` (steps in a
 *  bin), `before` (steps before the first one), `last` (the last step), `end` (of how many steps). Where no column is
 *  narrower, the line above the chart names the command that has narrower ones. */
function stepsChart(parts, source) {
  const { chart, range, kinds, logarithmic } = parts, WIDTH = 1200, HEIGHT = 360, LEFT = 84, RIGHT = 36, TOP = 14, BOTTOM = 46;
  let from = 0, to = 1, columns = [], shown = source();

  /** Columns of the shown range: first and last level, operations per step by class. */
  function visible() {
    const first = Math.max(0, Math.floor(from)), last = Math.min(shown.bins, Math.ceil(to));
    const together = Math.max(1, 2 ** Math.ceil(Math.log2((last - first) / MOST_COLUMNS)));
    const out = [];
    for (let at = first - first % together; at < last; at += together) {
      const end = Math.min(at + together, shown.bins);
      const counts = data.kinds.map((_, kind) => { let sum = 0; for (let bin = at; bin < end; bin += 1) sum += shown.of(bin, kind); return sum; });
      const low = shown.before + at * shown.per + 1, high = Math.min(shown.before + end * shown.per, shown.last);
      out.push({ at, end, low, high, counts, mean: counts.reduce((a, b) => a + b, 0) / (high - low + 1) });
    }
    return out;
  }

  function draw() {
    columns = visible();
    const each = columns.length ? columns[0].high - columns[0].low + 1 : 1;
    const said = columns.length ? `steps ${grouped(columns[0].low)} to ${grouped(columns.at(-1).high)} of ${grouped(shown.end)}` + (each > 1 ? `; a column is ${grouped(each)} steps` : "") : "";
    const finest = each > 1 && columns[0].end - columns[0].at === 1;
    range.replaceChildren(said, ...(finest ? closer(columns[0].low, columns.at(-1).high) : []));
    const most = Math.max(...columns.map((c) => c.mean), 0);
    const log = logarithmic.checked, least = Math.min(0.5, most / 10);
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
    const marks = log ? powers(10, least, most * 1.2) : ticks(0, most * 1.05, 6);
    const letters = marks.some((v) => v >= 1e4);
    const levels = ticks(shown.before + from * shown.per, Math.min(shown.before + to * shown.per, shown.last), 8).filter(Number.isInteger);
    const place = (level) => x((level - shown.before) / shown.per);
    chart.replaceChildren(svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Operations per step, " + said },
      ...axes({ width: WIDTH, height: HEIGHT, left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM },
        { title: "steps (level of the graph)", marks: levels.map((v) => ({ at: place(v), text: shown.end >= 1e7 && each > 1 ? short(v) : grouped(v), line: true })) },
        { title: "operations per step" + (log ? " (log)" : ""), marks: marks.map((v) => ({ at: base - share(v) * height, text: letters && v >= 1e3 ? short(v) : String(+v.toFixed(2)), line: true })) }),
      areas.map((d, kind) => d ? svg("path.area", { d, fill: data.colors[kind] }) : []).flat(),
      svg("rect.at", { x: 0, y: TOP, width: 0, height })));
  }

  function show(low, high) {
    const all = Math.max(1, shown.bins), width = clamp(high - low, Math.min(4, all), all);
    from = clamp(low, 0, all - width);
    to = from + width;
    draw();
  }
  /** Shows all of what the source has now. */
  function reset() {
    shown = source();
    let most = 0, sum = 0;
    const sums = data.kinds.map(() => 0);
    for (let bin = 0; bin < shown.bins; bin += 1) {
      let here = 0;
      for (let kind = 0; kind < sums.length; kind += 1) { const n = shown.of(bin, kind); here += n; sums[kind] += n; }
      most = Math.max(most, here / shown.per);
      sum += here;
    }
    logarithmic.checked = most > 24 * sum / Math.max(1, shown.last - shown.before);
    kinds.replaceChildren(...sums.flatMap((n, kind) => n ? [el("li", {}, el("i", { style: `background:${data.colors[kind]}` }), `${data.kinds[kind]} ${percent(n / sum)}`)] : []));
    show(0, shown.bins);
  }
  const zoom = (by, at = 0.5) => { const middle = from + at * (to - from), width = (to - from) * by; show(middle - at * width, middle + (1 - at) * width); };
  const pointed = (event) => { const box = chart.getBoundingClientRect(); return clamp(((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT), 0, 1); };

  parts.closer.addEventListener("click", () => zoom(0.5));
  parts.farther.addEventListener("click", () => zoom(2));
  parts.whole.addEventListener("click", () => show(0, shown.bins));
  logarithmic.addEventListener("input", draw);
  chart.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== chart) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, pointed(event));
  }, { passive: false });
  chart.addEventListener("keydown", (event) => {
    const step = (to - from) / 5;
    const moves = { "+": () => zoom(0.5), "-": () => zoom(2), 0: () => show(0, shown.bins), ArrowLeft: () => show(from - step, to - step), ArrowRight: () => show(from + step, to + step) };
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
    const at = from + pointed(event) * (to - from);
    const column = columns.find((c) => at >= c.at && at < c.end);
    if (!column) { hideTip(); return; }
    const marker = chart.querySelector(".at"), scale = (WIDTH - LEFT - RIGHT) / (to - from);
    marker.setAttribute("x", LEFT + Math.max(0, column.at - from) * scale);
    marker.setAttribute("width", Math.max(1, (Math.min(column.end, to) - Math.max(column.at, from)) * scale));
    const lines = data.kinds.flatMap((name, kind) => column.counts[kind] ? [`${name} ${grouped(column.counts[kind])}`] : []);
    showBeside([el("b", {}, column.low === column.high ? `step ${grouped(column.low)}` : `steps ${grouped(column.low)} to ${grouped(column.high)}`), ` ${factor(column.mean)} operations per step`, el("div", {}, lines.join(", "))], event.clientX, event.clientY);
  });
  reset();
  return reset;
}

onChoice.push(stepsChart(
  { chart: byId("levels"), range: byId("range"), kinds: byId("kinds"), logarithmic: byId("logarithmic"), closer: byId("zoom-in"), farther: byId("zoom-out"), whole: byId("zoom-all") },
  () => sourceOf(current()?.profile ?? NOTHING),
));
