/// <reference lib="dom" />
import type { Page } from "playwright-core";

/** Controls below the minimum height or width. A control in a label has the size of the label, and one in text that of its line. */
export function tooSmall(page: Page, least: number): Promise<string[]> {
  return page.evaluate((pixels) => {
    const found = [...document.querySelectorAll<HTMLElement>("button, a, input, select, textarea, summary")];
    const isShown = (element: HTMLElement): boolean =>
      element.checkVisibility() && element.closest(".hidden, .skip, p, .log-line") === null;
    return found.filter(isShown).flatMap((element) => {
      const target = element.matches("[type=radio], [type=checkbox], [type=file]") ? element.closest("label") : element;
      const { width, height } = (target ?? element).getBoundingClientRect();
      if (height >= pixels - 0.5 && width >= Math.min(pixels, 24) - 0.5) return [];
      const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
      return [`${element.tagName} ${name.slice(0, 40)}: ${Math.round(width)} x ${Math.round(height)}`];
    });
  }, least);
}
