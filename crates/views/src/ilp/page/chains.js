// Stretches: their figures and the tables of their chains; then the links to all sections.

data.stretches.forEach((stretch, number) => {
  const section = byId(`stretch-${number}`);
  section.querySelector(".facts").textContent = stretch.facts;
  section.querySelector(".chains").append(...stretch.chains.map((chain, n) => {
    const rows = chain.edges.map((edge) => el("tr", {}, el("td", {}, edge.part + (edge.loop ? " loop" : "")), el("td", { title: edge.to.routine }, edge.to.text), el("td.place", {}, edge.to.place),
      el("td", { title: edge.from?.routine }, edge.from?.text ?? "(start)"), el("td", {}, edge.through), el("td.number", {}, grouped(edge.count)), el("td.number", {}, grouped(edge.steps))));
    const head = ["Part", "Instruction", "Where", "Waits for", "Through", "Times", "Steps"].map((name, column) => el(column < 5 ? "th" : "th.number", { scope: "col" }, name));
    const title = `Chain ${n + 1}: ${chain.title}`;
    return el("details", { open: n === 0, "aria-label": title }, el("summary", {}, title), el("div.scroll.tall.auto", { tabindex: 0, role: "group", "aria-label": title }, el("table", { "aria-label": title }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))));
  }));
});
byId("values").hidden = !byId("values").querySelector("svg");
for (const section of document.querySelectorAll("main > section")) {
  if (!section.hidden) byId("sections").append(el("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
}
