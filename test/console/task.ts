/// <reference lib="dom" />
/** A test with the minimum number of clicks for a task. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { longTest } from "../support/runs.ts";

/** Returns the number of clicks so far. Selecting an option counts as two clicks: one opens the list. */
type Clicks = () => Promise<number>;

interface Counts {
  readonly clicks: number;
  /** The number of clicks in the first version of the console. */
  readonly first: number | "impossible";
}

/** The title of the test has the counts. Counting starts when the page is open. */
export function task(name: string, counts: Counts, run: () => Promise<Clicks>): void {
  declare(test, name, counts, run);
}

/** A task of the long run only, because the tests of its tab do the same in every run. */
export function longTask(name: string, counts: Counts, run: () => Promise<Clicks>): void {
  declare(longTest, name, counts, run);
}

function declare(as: typeof test, name: string, { clicks, first }: Counts, run: () => Promise<Clicks>): void {
  as(`${name}: ${clicks} ${clicks === 1 ? "click" : "clicks"}, at first ${first}`, async () => {
    const counts = await run();
    await expect.poll(() => counts()).toBe(clicks);
  });
}

/** Counts from now on, also after a reload. */
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
  return async () => {
    await page.evaluate(() => undefined);
    return clicks;
  };
}

/** Records what the page copies, because a headless browser has no clipboard. */
export async function copiesOf(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
  });
  return async () => (await page.locator("body").getAttribute("data-copied")) ?? "";
}
