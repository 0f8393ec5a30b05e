import { signal, type ReadonlySignal } from "@preact/signals";
import { applyTheme, storedTheme, storeTheme, type Theme } from "./theme.ts";

/** The theme, and a number that changes with every colour and with the screen's pixels: for what is drawn and not styled. */
export interface Appearance {
  readonly theme: ReadonlySignal<Theme>;
  readonly version: ReadonlySignal<number>;
  readonly isNarrow: ReadonlySignal<boolean>;
  choose(theme: Theme): void;
}

export function createAppearance(): Appearance {
  const theme = signal(storedTheme());
  const version = signal(0);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => void (version.value += 1));
  // A window that goes to another screen, or a page that is zoomed: asked is always for what is now.
  const watchPixels = (): void =>
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", onPixels, { once: true });
  const onPixels = (): void => {
    version.value += 1;
    watchPixels();
  };
  watchPixels();
  const narrow = matchMedia("(max-width: 52rem)");
  const isNarrow = signal(narrow.matches);
  narrow.addEventListener("change", () => void (isNarrow.value = narrow.matches));
  return {
    theme,
    version,
    isNarrow,
    choose(next) {
      theme.value = next;
      storeTheme(next);
      applyTheme(next);
      version.value += 1;
    },
  };
}
