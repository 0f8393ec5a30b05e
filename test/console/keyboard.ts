/// <reference lib="dom" />
import type { Page } from "playwright-core";

/** The focused element: the index of an entry, or the name of a control. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
    const { entry } = element.dataset;
    const words = entry ?? element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent;
    return (words ?? element.textContent ?? "").trim();
  });
}

/** Presses Tab until that control has the focus. @throws if the control cannot be reached */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  const isWanted = (words: string): boolean => (typeof name === "string" ? words === name : name.test(words));
  for (let words = await focused(page); !isWanted(words); words = await focused(page)) {
    seen.push(words.slice(0, 60));
    if (seen.length > 200) throw new Error(`no stop is ${String(name)}: ${[...new Set(seen)].join(", ")}`);
    await page.keyboard.press("Tab");
  }
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
