// Drawings that can be zoomed and moved: their view box changes. `frame.show(svg)` puts another drawing into the
// frame; a click on a node that is part of a loop is told as the event `pick`.

for (const frame of document.querySelectorAll(".zoom")) {
  let drawing = frame.querySelector("svg"), fullWidth, fullHeight, view;
  /** Pixels to a unit of the drawing where so much of it is shown. */
  const scale = ({ width, height }) => { const box = drawing.getBoundingClientRect(); return Math.min(box.width / width, box.height / height); };
  const apply = () => {
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    // The letters under dots are 1.1 units high.
    frame.classList.toggle("close", scale(view) >= 7);
  };
  /** The least of the width that may be shown: small letters can be read there. */
  const least = () => fullWidth / Math.max(64, 16 / Math.max(scale({ width: fullWidth, height: fullHeight }), 1e-6));
  const zoom = (by, ax = 0.5, ay = 0.5) => {
    const width = clamp(view.width * by, least(), fullWidth), height = width * fullHeight / fullWidth;
    const x = clamp(view.x + ax * (view.width - width), 0, fullWidth - width), y = clamp(view.y + ay * (view.height - height), 0, fullHeight - height);
    view = { x, y, width, height };
    apply();
  };
  const move = (dx, dy) => {
    view.x = clamp(view.x + dx, 0, fullWidth - view.width);
    view.y = clamp(view.y + dy, 0, fullHeight - view.height);
    apply();
  };
  const all = () => { view = { x: 0, y: 0, width: fullWidth, height: fullHeight }; apply(); };
  const button = (text, label, onclick) => el("button", { type: "button", "aria-label": label, onclick }, text);
  frame.append(el("div.zoom-buttons", {}, button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("All", "Show all", all)));
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== frame) return;
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  frame.addEventListener("keydown", (event) => {
    if (event.target !== frame) return;
    const step = view.width / 8;
    const keys = { "+": () => zoom(0.5), "-": () => zoom(2), 0: all, ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0), ArrowUp: () => move(0, -step), ArrowDown: () => move(0, step) };
    if (event.key in keys) { keys[event.key](); event.preventDefault(); }
  });
  let first = null, last = null;
  /** The pointer moved so far since it was pressed that this is no click. */
  const dragged = (event) => Math.abs(event.clientX - first.clientX) + Math.abs(event.clientY - first.clientY) > 4;
  const take = (svg) => {
    drawing = svg;
    [, , fullWidth, fullHeight] = drawing.getAttribute("viewBox").split(" ").map(Number);
    view = { x: 0, y: 0, width: fullWidth, height: fullHeight };
    drawing.addEventListener("pointerdown", (event) => { first = last = event; drawing.setPointerCapture(event.pointerId); frame.classList.add("drag"); });
    drawing.addEventListener("pointerup", (event) => {
      const node = first?.target.closest("[data-loop]");
      if (node && !dragged(event)) frame.dispatchEvent(new CustomEvent("pick", { detail: Number(node.dataset.loop) }));
    });
    for (const name of ["pointerup", "pointercancel"]) drawing.addEventListener(name, () => { first = last = null; frame.classList.remove("drag"); });
    drawing.addEventListener("pointermove", (event) => {
      if (!last) return;
      const scale = view.width / drawing.getBoundingClientRect().width;
      move((last.clientX - event.clientX) * scale, (last.clientY - event.clientY) * scale);
      last = event;
    });
  };
  take(drawing);
  frame.show = (svg) => { drawing.replaceWith(svg); take(svg); all(); };
}
