export type Preferences = ReturnType<typeof createPreferences>;

/**
 * Choices on this page by name, remembered for each server.
 *
 * @param storage the browser's storage; without it, nothing is remembered
 */
export function createPreferences(storage: Storage | undefined, server: string) {
  const keyOf = (name: string): string => `svcm.choice.${server}.${name}`;
  return {
    get: (name: string): string | undefined => storage?.getItem(keyOf(name)) ?? undefined,
    /** @param value `undefined` forgets the choice */
    set(name: string, value: string | undefined): void {
      try {
        if (value === undefined) storage?.removeItem(keyOf(name));
        else storage?.setItem(keyOf(name), value);
      } catch {
        // The storage is full.
      }
    },
  };
}

export const themes = ["system", "light", "dark"] as const;

export type Theme = (typeof themes)[number];

const KEY = "svcm.theme";

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
    // Without storage, the choice lasts as long as the page.
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
