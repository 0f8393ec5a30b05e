/// <reference lib="dom" />
/** A test with the number of clicks that a task takes at least. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";

/** Returns the clicks so far. A choice in a select is two clicks, one of them to open it. */
type Clicks = () => Promise<number>;

interface Counts {
  readonly clicks: number;
  /** In the first version of the console. */
  readonly first: number | "impossible";
}

/** A test whose title has the counts. The task counts from the opened page. */
export function task(name: string, { clicks, first }: Counts, run: () => Promise<Clicks>): void {
  test(`${name}: ${clicks} ${clicks === 1 ? "click" : "clicks"}, at first ${first}`, async () => {
    const counts = await run();
    await expect.poll(() => counts()).toBe(clicks);
  });
}

export async function counted(page: Page): Promise<Clicks> {
  await page.evaluate(() => {
    const counter = window as unknown as { clicks: number };
    counter.clicks = 0;
    addEventListener("pointerdown", () => (counter.clicks += 1), true);
    addEventListener("change", ({ target }) => (counter.clicks += target instanceof HTMLSelectElement ? 2 : 0), true);
  });
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks);
}

/** Keeps what the page copies, because a browser without a window has no clipboard. */
export async function copiesOf(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
  });
  return async () => (await page.locator("body").getAttribute("data-copied")) ?? "";
}
