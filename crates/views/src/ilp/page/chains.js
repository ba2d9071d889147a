// Stretches: their figures and the tables of their chains; then the links to all sections.

data.stretches.forEach((stretch, number) => {
  const section = byId(`stretch-${number}`);
  section.querySelector(".facts").textContent = stretch.facts;
  section.querySelector(".chains").append(...stretch.chains.map((chain, n) => {
    const site = (s) => [el("td", { title: s.routine }, s.text), el("td.place", {}, s.place)];
    const rows = chain.links.slice().sort((a, b) => b.count - a.count).map((link) => el("tr", {}, el("td.number", {}, grouped(link.count)), site(link.from), el("td", {}, link.through), site(link.to)));
    const head = ["Times", "From", "Where", "Through", "To", "Where"].map((name, column) => el(column ? "th" : "th.number", { scope: "col" }, name));
    const title = `Chain ${n + 1}: ${chain.title}`;
    return el("details", { open: n === 0 }, el("summary", {}, title), el("div.scroll.tall.auto", { tabindex: 0, role: "group", "aria-label": title }, el("table", { "aria-label": title }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))));
  }));
});
byId("values").hidden = !byId("values").querySelector("svg");
for (const section of document.querySelectorAll("main > section")) {
  if (!section.hidden) byId("sections").append(el("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
}
