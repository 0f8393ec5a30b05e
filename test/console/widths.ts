/// <reference lib="dom" />
/** Elements that are cut off at the widths of phones, tablets, half a screen, and large screens. */
import type { Page } from "playwright-core";
import { sampleOrAll } from "../support/runs.ts";

const WIDTHS = sampleOrAll(
  [320, 390, 640, 768, 833, 960, 1024, 1150, 1280, 1600, 2560],
  [320, 390, 833, 1024, 1280, 2560],
);

/** Elements that extend beyond the window, or that an ancestor cuts off. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const words =
      ":is(#panel, .top, .tabs) :is(button, select, input, textarea, a, h1, h2, strong, .whose, .now, .host-facts, .host-name i, td.number)";
    /** The visible part of the page around an element. A scroll container has no limits. */
    const sightOf = (element: Element): readonly [least: number, most: number] => {
      let [least, most] = [0, width];
      for (let part = element.parentElement; part !== null; part = part.parentElement) {
        if (part.matches(".matrix .table-scroll")) return [-Infinity, Infinity];
        if (getComputedStyle(part).overflowX === "visible" && !part.matches(".card")) continue;
        const { left, right } = part.getBoundingClientRect();
        [least, most] = [Math.max(least, left), Math.min(most, right)];
      }
      return [least, most];
    };
    const isCut = (element: Element): boolean => {
      const { left, right, width: own } = element.getBoundingClientRect();
      const [least, most] = sightOf(element);
      return own > 0 && element.closest(".hidden") === null && (left < least - 1 || right > most + 1);
    };
    const cut = [...document.querySelectorAll(words)].filter(isCut);
    const found = cut.map(({ className, tagName, textContent }) =>
      `${tagName}.${className} ${textContent}`.slice(0, 60),
    );
    const { scrollWidth } = document.documentElement;
    return scrollWidth > width ? [`the page: ${scrollWidth}`, ...found] : found;
  });
}

/** Resolves when the charts are drawn at the new size, one frame after the layout. */
export function drawn(page: Page): Promise<unknown> {
  return page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      ),
  );
}

export async function atAllWidths(page: Page, settle: () => Promise<unknown> = () => drawn(page)): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await settle();
    found.push(...(await cutOff(page)).map((words) => `${width}: ${words}`));
  }
  return found;
}
