// Long tables: the first rows at once, the others when they are asked for.

const SOME = 200;
/** Fills the body of a table with a row for each item; beyond the first two hundred there is a button. */
function fillSome(body, items, row, columns) {
  body.replaceChildren(...items.slice(0, SOME).map(row));
  const more = items.length - SOME;
  if (more <= 0) return;
  const all = el("button", { type: "button", onclick: () => { last.remove(); body.append(...items.slice(SOME).map((item, place) => row(item, place + SOME))); } }, `Show all ${grouped(items.length)} rows`);
  const last = el("tr", {}, el("td", { colspan: columns }, all));
  body.append(last);
}
