/// <reference lib="dom" />
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { ROOT, type World } from "./world.ts";

const COMPRESSED = join(ROOT, "dist/console/compressed");
/** 50 KB/s, and 300 ms from a request to the first byte of its answer. */
const SLOW = { offline: false, latency: 300, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 };

export function wireKilobytes(): string {
  const of = (end: string): number =>
    readdirSync(COMPRESSED)
      .filter((name) => name.endsWith(`.js.${end}`))
      .reduce((sum, name) => sum + statSync(join(COMPRESSED, name)).size, 0) / 1024;
  return `${of("gz").toFixed(1)} and ${of("br").toFixed(1)} KB`;
}

/** In wall-clock milliseconds since the navigation. */
export async function measureLoading(browser: Browser, { url }: World) {
  const fast = await loaded(browser, url);
  const slow = await loaded(browser, url, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW);
  });
  return { ...fast, slowPaint: slow.paint, slowUsable: slow.usable };
}

async function loaded(browser: Browser, url: string, prepare?: (page: Page) => Promise<void>) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await prepare?.(page);
  const start = performance.now();
  await page.goto(url);
  await page.getByRole("button", { name: "process-000" }).first().waitFor();
  const usable = performance.now() - start;
  const paint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  await page.close();
  return { paint, usable };
}
