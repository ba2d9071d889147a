// Light and dark: as the system has it, until the button chooses.

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let stored = null;
try { stored = localStorage.getItem("parascan-theme"); } catch { /* no storage: the choice holds for this page */ }
function paint() {
  const dark = stored ? stored === "dark" : prefersDark.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}
byId("theme").addEventListener("click", () => {
  stored = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("parascan-theme", stored); } catch { /* as above */ }
  paint();
});
prefersDark.addEventListener("change", paint);
paint();
