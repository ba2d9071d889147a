// Tables that a report has only if they were asked for: what runs of the plan showed, and what differs from another
// profile.

for (const [id, part] of [["proof", data.proof], ["compare", data.comparison]]) {
  const section = byId(id);
  if (!part) continue;
  section.hidden = false;
  section.querySelector("p").textContent = part.before;
  const cell = (text, index) => el(part.numbers[index] ? "td.number" : "td", {}, text);
  section.querySelector("thead").append(el("tr", {}, part.titles.map((title, index) => el(part.numbers[index] ? "th.number" : "th", { scope: "col" }, title))));
  section.querySelector("tbody").append(...part.rows.map((row) => el("tr", {}, row.map(cell))));
  section.querySelector("ul").append(...part.after.map((text) => el("li", {}, prose(text))));
}
