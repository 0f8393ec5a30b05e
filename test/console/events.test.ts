/// <reference lib="dom" />
/** Events of processes on Monitoring and on Activity, with a real PM2. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { ask, post } from "../server/support.ts";
import { endsWith, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { axe, overflow } from "./accessibility.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-Vw8-19bd40ee";
const browser = useBrowser();

let own: Pm2;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  const error = 'new Date().toISOString() + " the end is near\\ncannot reach db, password=" + process.env.DB_PASSWORD';
  const code = endsWith(error, 3);
  await own.run({ name: "broken", autorestart: false, code, env: { DB_PASSWORD: CANARY } });
});
afterAll(() => own.end());

longTest.skipIf(!hasBrowser)(
  "the first card of a process says when and why it ended, with its last lines",
  async () => {
    const { page } = await openConsole(browser, (await serverOver(own)).url, {});
    await page.locator("button.process-name[title=broken]").click();
    const card = page.getByRole("region", { name: /^Why of broken/ });
    await card.getByText("broken (id 0) ended: probably crash, exit code 3.").waitFor();
    await card.getByText(/^It ended with exit code 3\. An app that handles a signal may end so, too\./).waitFor();
    await card.getByText("cannot reach db").waitFor();
    await card.getByText("PM2 starts it only on request: svcm run broken.").waitFor();
    await card.getByRole("link", { name: "Log around it" }).click();
    await page
      .getByRole("region", { name: /^Log of broken around/ })
      .getByText("the end is near")
      .waitFor();
    await page.goBack();
    await card.waitFor();
    await expect.poll(() => page.locator(".detail > section").first().getAttribute("aria-label")).toMatch(/^Why/);
    await expect.poll(() => axe(page)).toEqual([]);
    await expect.poll(() => page.content()).not.toContain(CANARY);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflow(page)).toBe(0);
  },
);

longTest.skipIf(!hasBrowser)(
  "an event that happens while the page is open changes the card, without a reload",
  async () => {
    await own.run({ name: "steady" });
    const { page } = await openConsole(browser, (await serverOver(own)).url, {});
    await page.locator("button.process-name[title=steady]").click();
    const card = page.getByRole("region", { name: /^Why of steady/ });
    await card
      .getByText(/^No end since \d{4}-\d\d-\d\d [\d:]+: pm2\.log shows none, and PM2's list counts no restart\.$/)
      .waitFor();
    const steady = (await own.link().list()).find(({ name }) => name === "steady");
    process.kill(steady?.pid ?? 0, "SIGTERM");
    const ended = card.getByText("ended: signal, SIGTERM.");
    await ended.waitFor();
    await expect.poll(() => ended.count()).toBe(1);
  },
);

longTest.skipIf(!hasBrowser)(
  "a mark on a chart leads to its events on Activity, by click and by keyboard",
  async () => {
    // In a range that holds the event also if the tests before took minutes.
    const { page } = await openConsole(browser, (await serverOver(own)).url, { tab: "monitoring?range=15m" });
    await page.locator("button.process-name[title=broken]").click();
    const chart = page.getByRole("application", { name: /^Memory of broken/ });
    /** Resolves when the card above has its height, the events are known, and the chart is drawn. */
    const drawn = async () => {
      await page
        .getByRole("region", { name: /^Why of broken/ })
        .getByText("cannot reach db")
        .waitFor();
      await page.getByText(/ 1 unexpected end of broken/).waitFor();
      await chart.hover();
      await chart.locator(".readout").waitFor();
    };
    await drawn();
    await chart.press("Enter");
    const crash = page.locator("tbody tr.event").getByText("broken (id 0) ended: probably crash, exit code 3.");
    await expect.poll(() => crash.count()).toBe(1);
    await expect.poll(() => axe(page)).toEqual([]);
    await page.goBack();
    // The chart has no sample at that time, so the pointer finds the mark itself.
    await drawn();
    const { x, y, width } = (await chart.boundingBox())!;
    for (let at = width - 15; at > 60 && (await chart.locator(".happened").count()) === 0; at -= 5) {
      await page.mouse.move(x + at, y + 40);
      // The browser passes a move on with the next frame.
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await chart.getByText(/ended: probably crash, exit code 3\.$/).waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await crash.waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/activity\?find=[\d-]+\+[\d%A]+\+broken$/);
    await expect.poll(() => page.content()).not.toContain(CANARY);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflow(page)).toBe(0);
  },
);

longTest.skipIf(!hasBrowser)(
  "a line that PM2 writes after it has recorded the end is added to the open card",
  async () => {
    const code = `setInterval(() => {}, 1000)`;
    await own.run({ name: "late", autorestart: false, code });
    const { page } = await openConsole(browser, (await serverOver(own)).url, {});
    await page.locator("button.process-name[title=late]").click();
    const card = page.getByRole("region", { name: /^Why of late/ });
    await card.getByText("pm2.log shows none").waitFor();
    const late = (await own.link().list()).find(({ name }) => name === "late");
    process.kill(late?.pid ?? 0, "SIGKILL");
    await card.getByText("ended: signal, SIGKILL.").waitFor();
    appendFileSync(join(own.home, "logs/late-error.log"), "the very last words\n");
    await card.getByText("the very last words").waitFor();
  },
);

longTest.skipIf(!hasBrowser)(
  "Activity lists changes and events by day, with causes and filters, also from an old link",
  async () => {
    const server = await serverOver(own);
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    const { page } = await openConsole(browser, server.url, { tab: "audit?show=failures" });
    await expect.poll(() => page.locator("h1").textContent()).toBe("Activity");
    const rows = page.locator("tbody tr:not(.day)");
    const crash = rows.filter({ hasText: "broken (id 0)" }).filter({ hasText: "crash" });
    await crash.getByRole("link", { name: "Log around it" }).click();
    await page
      .getByRole("region", { name: /^Log of broken around/ })
      .getByText("the end is near")
      .waitFor();
    await page.goBack();
    await crash.waitFor();
    await expect.poll(() => rows.filter({ hasText: "Environment: write" }).count()).toBe(0);
    await page.getByLabel("Show").selectOption("all");
    const change = rows.filter({ hasText: "Environment: write" });
    await change.waitFor();
    const { json } = await ask(server, "/api/runtime/audit?limit=1");
    const day = await page.evaluate(
      (at) => new Date(at).toLocaleDateString("sv-SE"),
      String(json.records[0].timestamp),
    );
    await expect.poll(() => page.locator("tr.day").first().textContent()).toBe(day);
    await change.getByRole("button", { name: "Events after it" }).click();
    await page.locator("tr.after").waitFor();
    await expect.poll(() => axe(page)).toEqual([]);
    await expect.poll(() => page.content()).not.toContain(CANARY);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflow(page)).toBe(0);
  },
);
