// Letters in the p-chart: each where it covers no other and leaves no part of itself out, at any zoom. By the rules of
// `shared/svg/labels.rs` and `chart/svg/letters.rs`, with widths that the browser measures.

/** Whether two areas have a point in common that is on neither's edge. */
const areasMeet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The widths of texts in a font, as CSS writes it, in pixels. */
function measure(font) {
  const context = document.createElement("canvas").getContext("2d"), known = new Map();
  context.font = font;
  return (text) => {
    if (!known.has(text)) known.set(text, context.measureText(text).width);
    return known.get(text);
  };
}

/** Puts letters above the tops of their boxes, else below them, near the middle; those of wide boxes first. Of each
 * box: `letter`, the visible `start` and `end`, and its `top`, in pixels. Boxes inside each other whose edges are too
 * near to be told apart get one text. What finds no place inside `within` that is free gets none. Gives `text`, the
 * middle `x`, the line `y`, and the `area` that the text takes. */
function placeLetters(boxes, within, size, widthOf) {
  const BAND = 24, NEAR = 2, taken = new Map(), placed = [];
  const bands = (area) => Array.from({ length: Math.floor(area.bottom / BAND) - Math.floor(area.top / BAND) + 1 }, (_, n) => Math.floor(area.top / BAND) + n);
  function put(box, text) {
    // The halo around letters belongs to them.
    const half = widthOf(text) / 2 + 1.5, wide = box.end - box.start;
    if (2 * half > wide && !(text.length <= 2 && wide >= 3) || 2 * half > within.right - within.left) return false;
    const room = Math.max(0, wide / 2 - half), center = clamp((box.start + box.end) / 2, within.left + half, within.right - half);
    const tries = clamp(Math.floor(room / half), 0, 30);
    for (const y of [box.top - 4, box.top + size + 2]) {
      for (let n = 0; n <= 2 * tries; n += 1) {
        const x = center + room * (n % 2 ? -1 : 1) * Math.ceil(n / 2) / Math.max(1, tries);
        const area = { left: x - half, right: x + half, top: y - 0.93 * size, bottom: y + 0.24 * size };
        if (area.left < within.left || area.right > within.right || area.top < within.top || area.bottom > within.bottom) continue;
        if (bands(area).some((band) => taken.get(band)?.some((other) => areasMeet(area, other)))) continue;
        for (const band of bands(area)) if (taken.has(band)) taken.get(band).push(area); else taken.set(band, [area]);
        placed.push({ text, x, y, area });
        return true;
      }
    }
    return false;
  }
  const stacks = new Map(), key = (box) => [box.start, box.end, box.top].map((edge) => Math.round(edge / NEAR)).join(" ");
  for (const box of boxes) if (stacks.has(key(box))) stacks.get(key(box)).push(box); else stacks.set(key(box), [box]);
  for (const stack of [...stacks.values()].sort((a, b) => (b[0].end - b[0].start) - (a[0].end - a[0].start))) {
    const letters = stack.map((box) => box.letter).filter((letter, n, all) => letter !== all[n - 1]);
    if (letters.length > 1 && put(stack[0], letters.join("›"))) continue;
    letters.forEach((letter) => put(stack[0], letter));
  }
  return placed;
}
