/// <reference lib="dom" />
/** Whether everybody can use what the page shows now. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Look } from "./open-console.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Both themes, wide and on a phone. */
export const looks: readonly Look[] = (["light", "dark"] as const).flatMap((theme) => [
  { theme, isPhone: true },
  { theme, isPhone: false },
]);

/** What axe finds wrong, under the page's own policy: the script is evaluated, never injected. */
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

/** How much the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** No finding of axe, and no wider than the window: as it is opened, and where that is no phone on a large screen, too. */
export async function expectAccessible({ page }: { readonly page: Page }): Promise<void> {
  expect(await axe(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  const size = page.viewportSize();
  if (size === null || size.width < 1000) return;
  await page.setViewportSize({ width: 1920, height: 1080 });
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize(size);
}
