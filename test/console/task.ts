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

/** Counts from now on, also after the page was loaded again. */
export async function counted(page: Page): Promise<Clicks> {
  let clicks = 0;
  await page.exposeFunction("countClicks", (count: number) => void (clicks += count));
  const listen = (): void => {
    const { countClicks } = window as unknown as { countClicks: (count: number) => void };
    addEventListener("pointerdown", () => countClicks(1), true);
    addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && countClicks(2), true);
  };
  await page.addInitScript(listen);
  await page.evaluate(listen);
  // Calls of the page arrive in their order.
  return async () => {
    await page.evaluate(() => undefined);
    return clicks;
  };
}

/** Keeps what the page copies, because a browser without a window has no clipboard. */
export async function copiesOf(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
  });
  return async () => (await page.locator("body").getAttribute("data-copied")) ?? "";
}
