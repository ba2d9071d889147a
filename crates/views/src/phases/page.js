// What the page does: choices show one drawing of several, the filter shows rows, the button changes the colours.

const byId = (id) => document.getElementById(id);
for (const choice of document.querySelectorAll("select[data-shows]")) {
  const all = [...byId(choice.dataset.shows).children];
  const show = () => all.forEach((one, index) => { one.hidden = index !== choice.selectedIndex; });
  choice.addEventListener("change", show);
  show();
}
for (const box of document.querySelectorAll("input[data-filters]")) {
  const rows = [...byId(box.dataset.filters).tBodies[0].rows];
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}
