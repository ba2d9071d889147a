// Summary, models, routines.

byId("program").textContent = `${data.program || "(unknown program)"}, ${data.scope}` + (data.partial ? " (partial)" : "");
document.title = `parascan ilp: ${data.program}`;
const whole = data.together[data.focus.model];
if (whole) {
  const model = data.models.length > 1 ? `model ${data.models[data.focus.model]}` : "";
  const tile = (name, value, more) => el("div", {}, el("dt", {}, name), el("dd", {}, value, more ? el("small", {}, more) : ""));
  byId("tiles").append(tile("Available parallelism", factor(whole.parallelism), model), tile("Instructions", short(whole.instructions), `${grouped(whole.operations)} operations`),
    tile("Critical path", short(whole.critical_path), "steps"), tile("System calls", grouped(whole.system_calls)));
}
byId("sentences").append(...data.sentences.map((text) => el("p", {}, text)), data.command ? el("p.quiet", {}, el("code", {}, data.command)) : "");
byId("remarks").append(...data.notes.map((text) => el("p.note", {}, sentence(text))));

/** A table: columns are { name, number, title, compare, cell }; a click on a heading sorts. */
function table(label, columns, rows, sorted, shown) {
  const body = el("tbody"), head = el("tr");
  let { column, down } = sorted;
  const fill = () => {
    const { value } = columns[column], sign = down ? -1 : 1;
    const order = rows().slice().sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : (x ?? -1) - (y ?? -1));
    });
    body.replaceChildren(...order.slice(0, shown ?? order.length).map((row) => el("tr", {}, columns.map((c) => {
      const text = c.show ? c.show(row) : c.value(row);
      return el(c.number ? "td.number" + (c.share ? ".share" : "") : "td.cut", { title: c.hint?.(row) ?? (c.number ? null : text), style: c.share ? `--share:${((c.value(row) ?? 0) * 100).toFixed(2)}` : null }, String(text));
    }))));
    [...head.children].forEach((th, n) => {
      if (n === column) th.setAttribute("aria-sort", down ? "descending" : "ascending"); else th.removeAttribute("aria-sort");
      th.firstChild.textContent = columns[n].name + (n === column ? (down ? " ▾" : " ▴") : "");
    });
    return order.length;
  };
  columns.forEach((c, n) => head.append(el(c.number ? "th.number" : "th", { scope: "col" }, el("button", { type: "button", title: c.title, onclick: () => { down = column === n ? !down : Boolean(c.number); column = n; fill(); } }, c.name))));
  return { node: el("table", { "aria-label": label }, el("thead", {}, head), body), fill };
}

{
  const rows = data.models.map((name, n) => ({ name, n, share: data.window_shares[n], ...data.together[n] }));
  const columns = [
    { name: "Model", value: (r) => r.name },
    { name: "Operations", number: true, value: (r) => r.operations, show: (r) => grouped(r.operations) },
    { name: "Critical path", number: true, value: (r) => r.critical_path, show: (r) => grouped(r.critical_path) },
    { name: "Parallelism", number: true, value: (r) => r.parallelism, show: (r) => factor(r.parallelism) },
  ];
  if (rows.some((r) => r.share !== null && r.share !== undefined)) columns.push({ name: "Of largest window", number: true, value: (r) => r.share, show: (r) => r.share === null ? "" : percent(r.share) });
  if (rows.some((r) => r.missed)) columns.push({ name: "Mispredicted", number: true, value: (r) => r.missed, show: (r) => r.missed ? percent(r.missed) : "" });
  // In the order in which they were asked for, until a heading is clicked.
  columns.unshift({ name: "#", number: true, value: (r) => r.n + 1 });
  const { node, fill } = table("Machine models", columns, () => rows, { column: 0, down: false });
  fill();
  byId("models-table").append(node);
}

/** The graph and model that profile and routines are shown of. */
const current = () => data.graphs[byId("graph").value]?.results[byId("model").value];
const onChoice = [];
data.graphs.forEach((graph, n) => byId("graph").append(el("option", { value: n }, graph.name)));
data.models.forEach((name, n) => byId("model").append(el("option", { value: n }, name)));
if (data.graphs.length) byId("graph").value = data.focus.graph;
if (data.models.length) byId("model").value = data.focus.model;
byId("graph-label").hidden = data.graphs.length < 2;
byId("model-label").hidden = data.models.length < 2;
for (const id of ["graph", "model"]) byId(id).addEventListener("change", () => onChoice.forEach((draw) => draw()));

{
  const columns = [
    { name: "#", number: true, value: (r) => r.n + 1 },
    { name: "Graph", value: (r) => r.name },
    { name: "Instructions", number: true, value: (r) => r.instructions, show: (r) => grouped(r.instructions) },
    { name: "Operations", number: true, value: (r) => r.operations, show: (r) => grouped(r.operations) },
    { name: "Critical path", number: true, value: (r) => r.critical_path, show: (r) => grouped(r.critical_path) },
    { name: "Parallelism", number: true, value: (r) => r.parallelism, show: (r) => factor(r.parallelism) },
  ];
  const rows = () => data.graphs.map((graph, n) => ({ n, name: graph.name, ...graph.results[byId("model").value]?.totals }));
  const { node, fill } = table("Processes and threads", columns, rows, { column: 0, down: false });
  byId("graphs-table").append(node);
  byId("graphs").hidden = data.graphs.length < 2;
  onChoice.push(fill);
  fill();
}

{
  const shown = 500;
  const measured = (r, figure) => r.unmeasured < r.calls ? grouped(figure) : "-";
  const share = (r, key) => r[key] === null ? "" : percent(r[key]);
  const columns = [
    { name: "Routine", value: (r) => r.name, show: (r) => r.short, hint: (r) => `${r.name} in ${r.module}` },
    { name: "Where", value: (r) => r.place, hint: (r) => r.file },
    { name: "Calls", number: true, value: (r) => r.calls, show: (r) => grouped(r.calls) },
    { name: "I", number: true, value: (r) => r.operations, show: (r) => measured(r, r.operations) + (r.unmeasured ? "*" : "") + (r.nested ? "†" : ""), title: "operations of its calls, callees included" },
    { name: "C", number: true, value: (r) => r.steps, show: (r) => measured(r, r.steps), title: "steps of its calls" },
    { name: "ILP", number: true, value: (r) => r.ilp, show: (r) => r.ilp === null ? "-" : factor(r.ilp), title: "I over C" },
    { name: "Share", number: true, share: true, value: (r) => r.share, show: (r) => share(r, "share"), title: "of all operations, callees included" },
    { name: "Own", number: true, share: true, value: (r) => r.own, show: (r) => share(r, "own"), title: "of all operations, in the routine itself" },
  ];
  const has = (key) => data.graphs.some((g) => g.results.some((r) => r.routines.some((routine) => routine[key] !== null)));
  if (has("own_ilp")) columns.push({ name: "Own ILP", number: true, value: (r) => r.own_ilp, show: (r) => r.own_ilp === null ? "" : factor(r.own_ilp), title: "of its own operations only" });
  const rows = () => {
    const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    return (current()?.routines ?? []).filter((r) => { const text = `${r.name} ${r.place} ${r.module}`.toLowerCase(); return words.every((word) => text.includes(word)); });
  };
  const { node, fill } = table("Routines", columns, rows, { column: 7, down: true }, shown);
  const draw = () => {
    const found = fill(), all = current()?.all_routines ?? 0;
    byId("count").textContent = `${grouped(Math.min(found, shown))} of ${grouped(all)} routines`;
    byId("unmeasured").hidden = !(current()?.routines ?? []).some((r) => r.unmeasured);
    byId("nested").hidden = !(current()?.routines ?? []).some((r) => r.nested);
  };
  byId("routines-table").append(node);
  byId("words").addEventListener("input", draw);
  onChoice.push(draw);
  draw();
  byId("routines").hidden = !data.graphs.some((g) => g.results.some((r) => r.routines.length));
}
