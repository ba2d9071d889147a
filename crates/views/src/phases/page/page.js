// What the page does: choices show one drawing of several, the filter shows rows, boxes open and close layers, the
// button changes the colours.

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
// Without this, a box's link opens its layer and leads there. With it a second click closes the layer again, and the
// page stays.
for (const link of document.querySelectorAll("#layers a")) {
  const layer = byId(link.getAttribute("href").slice(1)).closest("details");
  const say = () => link.setAttribute("aria-expanded", layer.open);
  layer.addEventListener("toggle", say);
  say();
  link.addEventListener("click", (event) => {
    event.preventDefault();
    layer.open = !layer.open;
    if (layer.open) layer.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
