/// <reference lib="dom" />
/** Checks that the page is accessible. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { SIZES } from "./open-console.ts";
import { sampleOrAll } from "../support/runs.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const { phone, wide } = SIZES;
const all = (["light", "dark"] as const).flatMap((theme) => [phone, wide].map((size) => ({ theme, size })));
const looks = sampleOrAll(all, [
  { theme: "light", size: wide },
  { theme: "dark", size: phone },
]);

/** Checks the page in both themes, wide and on a phone; the long run has each theme at each size. The console follows both without a reload. */
export async function inEveryLook(page: Page, check: () => Promise<void>): Promise<void> {
  const before = page.viewportSize() ?? SIZES.wide;
  for (const { theme, size } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(size);
    await check();
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}

export function expectAccessibleInEveryLook(open: { readonly page: Page }): Promise<void> {
  return inEveryLook(open.page, () => expectAccessible(open));
}

/** Evaluates axe's script instead of injecting it, because the policy of the page stays in force. */
export async function axe(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    const { axe: engine } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: readonly Violation[] }> };
    };
    const { violations } = await engine.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Expects no finding of axe, and a page that fits the window. A desktop page is also checked on a large screen. */
export async function expectAccessible({ page }: { readonly page: Page }): Promise<void> {
  await expect.poll(() => axe(page)).toEqual([]);
  await expect.poll(() => overflow(page)).toBe(0);
  const size = page.viewportSize();
  if (size === null || size.width < 1000) return;
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(() => overflow(page)).toBe(0);
  await page.setViewportSize(size);
}
