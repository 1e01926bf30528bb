// Light or dark: what the system says, until the user says otherwise. Runs before the first paint.
(() => {
  const root = document.documentElement;
  const KEY = "recommender.theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    // storage is forbidden: the system decides
  }
  const isDark = () => (chosen ?? (system.matches ? "dark" : "light")) === "dark";
  const apply = () => {
    if (chosen) root.dataset.theme = chosen;
    const button = document.querySelector("[data-action=theme]");
    button?.setAttribute("aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
  };
  apply();
  system.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.querySelector("[data-action=theme]").addEventListener("click", () => {
      chosen = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // kept for this page only
      }
      apply();
    });
  });
})();
