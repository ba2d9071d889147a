// Flame graph and nesting view: rows by depth, as wide as work, coloured by parallelism; zoom and search.

{
  const [REGION, PARENT, LEVEL, START, WORK, COUNT, TOTAL, SELF] = [0, 1, 2, 3, 4, 5, 6, 7];
  const width = 1200, row = 19, letter = 7.1;
  const view = byId("flame-view"), field = byId("flame-words"), holder = byId("flame-chart");
  const picture = svg("svg", { role: "presentation" });
  holder.append(picture);
  let boxes = [], all = 1, root = -1, at = -1, found = null;

  const step = (p) => p === null ? null : data.steps.filter((from) => p >= from).length;
  const bounds = data.steps.map((bound) => bound < 1000 ? bound : grouped(bound));
  const meaning = (n) => n === 0 ? `below ${bounds[0]}` : n === bounds.length ? `${bounds[n - 1]} and more` : `${bounds[n - 1]} to ${bounds[n]}`;
  const name = (region) => region.kind === "loop" ? `loop ${region.place.split("/").at(-1)}` : region.function;
  const facts = (box) => [`${percent(box[WORK] / all)} of the work`, box[COUNT] > 1 ? `${grouped(box[COUNT])} instances` : "1 instance", `total parallelism ${factor(box[TOTAL])}`, `self-parallelism ${factor(box[SELF])}`];

  function draw() {
    const from = root < 0 ? 0 : boxes[root][START], to = root < 0 ? all : from + boxes[root][WORK];
    const shapes = [], scale = width / Math.max(1, to - from);
    let rows = 1;
    boxes.forEach((box, number) => {
      const start = Math.max(box[START], from), end = Math.min(box[START] + box[WORK], to);
      const wide = (end - start) * scale;
      if (wide < 0.4 || shapes.length > 8000) return;
      rows = Math.max(rows, box[LEVEL] + 1);
      const region = regions[box[REGION]], colour = step(box[TOTAL]);
      const x = (start - from) * scale, y = box[LEVEL] * row;
      const classes = `${colour === null ? ".unknown" : ""}${found === null ? "" : found.has(number) ? ".match" : ".dim"}${number === at ? ".at" : ""}`;
      shapes.push(svg("rect.box" + classes, { x: x.toFixed(2), y, width: Math.max(0.6, wide).toFixed(2), height: row - 1, "data-box": number, style: colour === null ? null : `fill:var(--p${colour})` }));
      const room = Math.floor((wide - 6) / letter);
      if (region && room >= 2) {
        const text = `${region.letter ?? ""} ${name(region)}`.trim();
        const short = text.length <= room ? text : room < 6 ? (region.letter ?? "").slice(0, room + 1).length <= room ? region.letter ?? "" : "" : text.slice(0, room - 1) + "…";
        if (short) shapes.push(svg("text", { x: (x + 4).toFixed(1), y: y + 13, style: colour === null ? null : `fill:var(--i${colour})` }, short));
      }
    });
    const height = rows * row + 2;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren(...shapes);
    byId("flame-all").disabled = root < 0;
    const box = boxes[root];
    byId("flame-at").replaceChildren(...(box && box[REGION] !== null ? ["Zoomed to ", opener(box[REGION], regions[box[REGION]].id), ` ${regions[box[REGION]].function}: ${facts(box).join(", ")}.`] : [""]));
  }

  /** Marks what the words are found in, and says how much of the work is done there; what is inside of another match
   * counts once. */
  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = words.length ? new Set() : null;
    let work = 0;
    const within = [];
    if (found) boxes.forEach((box, number) => {
      const region = regions[box[REGION]];
      const text = region ? `${region.id} ${region.function} ${files[region.file].name} ${region.words} ${region.type}`.toLowerCase() : "";
      const hit = words.every((word) => text.includes(word)), inside = box[PARENT] !== null && within[box[PARENT]];
      within[number] = hit || inside;
      if (!hit) return;
      found.add(number);
      if (!inside) work += box[WORK];
    });
    byId("flame-found").textContent = found ? `${grouped(found.size)} ${found.size === 1 ? "box" : "boxes"}, ${percent(work / all)} of the work` : "";
    draw();
  }

  function show() {
    const source = view.value === "merged" ? data.flame : data.charts[Number(view.value)];
    boxes = source.boxes;
    all = source.work || 1;
    [root, at] = [-1, -1];
    byId("flame-pruned").textContent = source.pruned;
    const steps = [...new Set(boxes.map((box) => step(box[TOTAL])))].sort((a, b) => (a ?? 99) - (b ?? 99));
    byId("flame-key").replaceChildren(...steps.map((n) => el("li", {}, el(n === null ? "i.unknown" : "i", { "aria-hidden": "true", style: n === null ? null : `background:var(--p${n})` }), n === null ? "not measured" : meaning(n))));
    search();
  }
  function zoom(number) { root = number; at = number; hideTip(); draw(); }
  const told = (number) => {
    const box = boxes[number], shape = picture.querySelector("rect.at");
    if (!box || box[REGION] === null) return;
    const place = (shape ?? picture).getBoundingClientRect();
    showTip(box[REGION], facts(box), (place.left + place.right) / 2, place.top + 16);
    say([regions[box[REGION]].id, ...facts(box)].join(", "));
  };
  function walk(number) { if (number < 0 || number >= boxes.length) return; at = number; draw(); told(number); }
  function beside(by) {
    if (at < 0) return walk(0);
    for (let number = at + by; number >= 0 && number < boxes.length; number += by) if (boxes[number][LEVEL] === boxes[at][LEVEL]) return walk(number);
  }

  picture.addEventListener("click", (event) => {
    const number = event.target.dataset?.box;
    if (number === undefined) return;
    zoom(Number(number) === root ? boxes[root][PARENT] ?? -1 : Number(number));
  });
  picture.addEventListener("pointermove", (event) => {
    const box = boxes[event.target.dataset?.box];
    if (!box || box[REGION] === null) return hideTip();
    showTip(box[REGION], facts(box), event.clientX, event.clientY);
  });
  picture.addEventListener("pointerleave", hideTip);
  holder.addEventListener("blur", hideTip);
  holder.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowRight: () => beside(1), ArrowLeft: () => beside(-1), ArrowUp: () => walk(at < 0 ? 0 : boxes[at][PARENT] ?? -1),
      ArrowDown: () => walk(at < 0 ? 0 : boxes.findIndex((box) => box[PARENT] === at)), "+": () => zoom(at), "-": () => zoom(root < 0 ? -1 : boxes[root][PARENT] ?? -1), "0": () => zoom(-1),
      Enter: () => { if (at >= 0 && boxes[at][REGION] !== null) { hideTip(); select(boxes[at][REGION], holder); } },
    };
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  field.form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", search);
  view.addEventListener("change", show);
  byId("flame-all").addEventListener("click", () => zoom(-1));
  data.charts.forEach((_, number) => view.append(el("option", { value: number }, data.charts.length < 2 ? "by time (nesting view)" : `by time, run ${number + 1}`)));
  show();
}
