/// <reference lib="dom" />
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";

const WATCHED_MS = 5 * 60_000;

const views: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  monitoring: async () => undefined,
  "monitoring-detail": async (page) => {
    await page.getByRole("button", { name: "auth" }).first().click();
    await page.locator(".detail").evaluate((detail) => detail.scrollIntoView({ block: "center" }));
  },
  environment: async (page) => {
    await page.getByLabel("HTTP framework", { exact: true }).selectOption("loopback");
    await page.getByLabel("Main database driver", { exact: true }).selectOption("SQLite");
    await page.getByLabel("Compare dev with").selectOption("staging");
    await page.evaluate(() => scrollTo(0, 0));
  },
  pm2: async () => undefined,
  service: async () => undefined,
  targets: async () => undefined,
  "targets-draft": async (page) => {
    await page.getByRole("button", { name: "Edit staging-eu" }).click();
    await page.getByLabel("Region", { exact: true }).fill("stage-2.example.test");
    await page.getByRole("button", { name: "Save Target" }).click();
    await page.getByText("stage-2.example.test").first().waitFor();
    await page.evaluate(() => scrollTo(0, 0));
  },
  interfaces: async () => undefined,
  transfer: (page) => page.getByRole("radio", { name: "YAML" }).check(),
  activity: async () => undefined,
};

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({
    name: `${colorScheme}${width === 390 ? "-phone" : ""}`,
    colorScheme,
    viewport: { width, height: width === 390 ? 844 : 800 },
  })),
);

const chosen = new Set([
  "monitoring-light",
  "monitoring-dark",
  "monitoring-detail-light",
  "monitoring-dark-phone",
  "environment-light",
  "pm2-dark",
  "service-light",
  "targets-dark",
  "targets-draft-light",
  "interfaces-light",
  "transfer-light",
  "activity-dark",
]);

export interface Photographs {
  readonly browser: Browser;
  readonly url: string;
  readonly pictures: string;
  readonly everyLook: string | undefined;
}

export async function photographConsole({ browser, url, pictures, everyLook }: Photographs): Promise<void> {
  if (everyLook !== undefined) mkdirSync(everyLook, { recursive: true });
  const pages = await Promise.all(looks.map((look) => openPage(browser, url, look)));
  // All pages watch at the same time, so that all charts are full.
  await wait(WATCHED_MS);
  for (const [at, page] of pages.entries()) {
    const { name: look } = looks[at] as (typeof looks)[number];
    for (const [view, prepare] of Object.entries(views)) {
      const name = `${view}-${look}`;
      if (!chosen.has(name) && everyLook === undefined) continue;
      await page.evaluate((tab) => void (location.hash = `#/${tab}`), view.replace(/-.*/, ""));
      await page.locator("#panel h1").waitFor();
      await prepare(page);
      // Until the page has been drawn and pending responses have arrived.
      await wait(1_500);
      if (chosen.has(name)) await page.screenshot({ path: join(pictures, `${name}.png`) });
      if (everyLook !== undefined) await page.screenshot({ path: join(everyLook, `${name}.png`) });
      await leave(page);
    }
  }
}

async function openPage(
  browser: Browser,
  url: string,
  { name: _name, ...look }: (typeof looks)[number],
): Promise<Page> {
  const page = await browser.newPage(look);
  // Discards the edits that were made for the picture.
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(url);
  await page.locator("tbody tr").first().waitFor();
  return page;
}

async function leave(page: Page): Promise<void> {
  const discard = page.getByRole("button", { name: "Discard" });
  if ((await discard.count()) > 0) await discard.click();
  await page.evaluate(() => scrollTo(0, 0));
}
