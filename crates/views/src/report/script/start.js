// The first drawing, printing, addresses of regions.

fillGrid();
showFile(0);
byId("hot").click();
addEventListener("resize", () => { drawGrid(); drawCode(); });
addEventListener("beforeprint", () => { flat = true; if (left.length <= 60) byId("left").open = true; fillLeft(); drawGrid(); });
addEventListener("afterprint", () => { flat = false; drawGrid(); });
function fromAddress() {
  const wanted = /^#region=(.*)$/.exec(location.hash);
  if (!wanted) return;
  let id = "";
  try { id = decodeURIComponent(wanted[1]); } catch { return; }
  const index = regions.findIndex((region) => region.id === id);
  if (index >= 0) select(index);
}
addEventListener("hashchange", fromAddress);
fromAddress();
