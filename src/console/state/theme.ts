export const themes = ["system", "light", "dark"] as const;

export type Theme = (typeof themes)[number];

const KEY = "svcm.theme";

/** The last choice; the system's theme if there is no choice, or if the page may not use the storage. */
export function storedTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}

export function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // In that case, the choice lasts as long as the page.
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
