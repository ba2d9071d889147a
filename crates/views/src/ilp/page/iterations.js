// Loops that a graph has put together: a click on one offers some of its iterations, and the chosen one is opened in
// the graph's place. For others there is the command to paste.

data.stretches.forEach(({ loops }, number) => {
  const section = byId(`stretch-${number}`), bar = section.querySelector(".loops"), frame = section.querySelector(".zoom.graph");
  if (!bar || !frame) return;
  const together = frame.querySelector("svg"), kept = [...section.querySelectorAll("template[data-loop]")].map((template) => {
    const { loop, entry, iteration, critical } = template.dataset;
    return { template, loop: Number(loop), entry: Number(entry), iteration: Number(iteration), critical: critical !== undefined };
  });
  let shown = null;
  const named = (loop) => `${loop.place ? loop.place + ", " : ""}${loop.name}: ${grouped(loop.longest[1])} iterations` + (loop.entries > 1 ? ` at most, ${grouped(loop.entries)} entries` : "");
  const select = el("select", {}, loops.map((loop, n) => el("option", { value: n, title: loop.routine }, named(loop))));
  const buttons = el("div.iterations", { role: "group", "aria-label": "Iterations of the loop" });
  const entry = el("input", { type: "number", min: 1, value: 1 }), iteration = el("input", { type: "number", min: 1, value: 1 }), command = el("p.quiet");
  /** Shows an iteration, or all put together. */
  const show = (it) => {
    shown = it;
    frame.show(it ? it.template.content.querySelector("svg").cloneNode(true) : together);
    draw();
  };
  const button = (it, text, title) => el(it?.critical ? "button.hot" : "button", { type: "button", title, "aria-pressed": String(shown === it), onclick: () => { show(it); } }, text);
  /** The command that opens the iteration that was written down. */
  const write = () => {
    const place = `${loops[select.value].name}:${iteration.value || 1}` + (Number(entry.value) > 1 ? ` --entry ${entry.value}` : "");
    const words = data.again_open.length ? data.again_open.map((word) => word ?? place) : ["--open", place];
    command.replaceChildren("Any other iteration: ", el("code", {}, words.join(" ")));
  };
  const draw = () => {
    const focused = buttons.contains(document.activeElement) ? [...buttons.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    const own = kept.filter((it) => it.loop === Number(select.value)).sort((a, b) => a.entry - b.entry || a.iteration - b.iteration);
    const out = [button(null, "All together", "All iterations as one")];
    let before = 1;
    for (const it of own) {
      if (it.entry !== before) out.push(`entry ${grouped(it.entry)}:`);
      before = it.entry;
      out.push(button(it, grouped(it.iteration), `Open iteration ${grouped(it.iteration)} of entry ${grouped(it.entry)}` + (it.critical ? ", which is on the longest chain" : "")));
    }
    buttons.replaceChildren(...out);
    if (focused >= 0) buttons.querySelectorAll("button")[focused]?.focus();
    write();
  };
  const choose = (loop) => {
    select.value = loop;
    iteration.value = entry.value = 1;
    draw();
  };
  select.addEventListener("change", () => choose(select.value));
  for (const field of [entry, iteration]) field.addEventListener("input", write);
  frame.addEventListener("pick", ({ detail }) => {
    choose(detail);
    buttons.querySelectorAll("button")[1]?.focus();
  });
  bar.append(el("label", {}, "Loop ", select), buttons, el("label", {}, "Iteration ", iteration), el("label", {}, "of entry ", entry), command);
  choose(0);
});
