import { signal } from "@preact/signals";
import { applyTheme, storedTheme, storeTheme, type Theme } from "./theme.ts";

export type Appearance = ReturnType<typeof createAppearance>;

export function createAppearance() {
  const theme = signal(storedTheme());
  /** Increases with every change of colours or of the pixel ratio, so that canvases are redrawn. */
  const version = signal(0);
  const redraw = (): void => void (version.value += 1);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // A media query matches only one ratio, so each change needs a new query.
  const watchPixels = (): void =>
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", onPixels, { once: true });
  const onPixels = (): void => {
    redraw();
    watchPixels();
  };
  watchPixels();
  return {
    theme,
    version,
    choose(next: Theme): void {
      theme.value = next;
      storeTheme(next);
      applyTheme(next);
      redraw();
    },
  };
}
