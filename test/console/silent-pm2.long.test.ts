/// <reference lib="dom" />
/** A real daemon that is suspended: nothing is known of its apps, and no part of the page says that fewer need attention. */
import { afterAll, beforeAll, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask } from "../server/support.ts";
import { runNight } from "../support/bad-night.ts";
import { pm2, type Daemon } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const real = pm2();
let daemon: Daemon;

beforeAll(async () => {
  daemon = await real.startDaemon();
  await runNight(real);
});
afterAll(async () => {
  await daemon.signal("SIGCONT");
  await real.end();
});

longTest.skipIf(!hasBrowser)(
  "a count that cannot be known is the last known one, with a mark and the reason",
  async () => {
    const server = await serverOver(real);
    const { page } = await openConsole(browser, server.url, { mayFail: true });
    const other = await page.context().newPage();
    await other.goto(`${server.url}/#/activity`);
    const line = page.locator(".state-line");
    const badge = (of: typeof page) => of.locator("#tab-monitoring .badge");
    // Eleven apps: the loop, the errored one and nine that PM2 does not know.
    await expect.poll(() => line.innerText()).toMatch(/^11 apps need attention/);
    await expect.poll(() => badge(other).innerText()).toMatch(/^11\s/);
    await page.getByRole("region", { name: "Attention" }).getByRole("button", { name: "Details" }).first().click();
    const panel = page.locator("#process");
    await panel.waitFor();

    await daemon.signal("SIGSTOP");
    await expect
      .poll(() => line.innerText())
      .toMatch(/^PM2 does not answer\s*11 apps needed attention at \d\d:\d\d:\d\d/);
    await expect.poll(() => page.title()).toMatch(/^\(11\?\) Monitoring/);
    await expect.poll(() => badge(page).innerText()).toMatch(/^11\?\s*errors: PM2 does not answer$/);
    await expect.poll(() => panel.innerText()).toContain("The processes of PM2 are not known now.");
    // The words that let the daemon go on replace the first ones, and stay.
    await page.locator(".processes").getByText(`kill -CONT ${daemon.pid}`).waitFor();
    // A tab that is closed looks by itself.
    await expect.poll(() => other.title(), { timeout: 60_000 }).toMatch(/^\(11\?\) Activity/);
    await expect.poll(() => badge(other).innerText()).toMatch(/^11\?\s*errors: PM2 does not answer$/);
    const { status, json } = await ask(server, "/api/runtime/pm2-metrics?environment=dev");
    expect({ status, code: json.code }).toEqual({ status: 500, code: "PM2_TIMEOUT" });
    // A page that never had a count shows no number.
    const fresh = await page.context().newPage();
    await fresh.goto(`${server.url}/#/monitoring`);
    await expect.poll(() => fresh.title()).toMatch(/^\(\?\) Monitoring/);
    expect(await fresh.locator(".state-line").innerText()).toMatch(/^PM2 does not answer\s*CPU/);

    await daemon.signal("SIGCONT");
    await expect.poll(() => line.innerText()).toMatch(/^11 apps need attention/);
    await expect.poll(() => page.title()).toMatch(/^\(11\) Monitoring/);
    await expect.poll(() => other.title(), { timeout: 60_000 }).toMatch(/^\(11\) Activity/);
  },
);
