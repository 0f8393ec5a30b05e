/// <reference lib="dom" />
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { quietApp } from "../support/quiet-app.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { row, serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();
const CANARY = "canary-of-a-console-log";
let path = "";

beforeAll(async () => {
  await real.startDaemon();
  const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}\n`).join("");
  path = await quietApp(real, "api", lines, { env: { API_TOKEN: CANARY } });
});
afterAll(() => real.end());

async function openLog() {
  const server = await serverOver(real);
  const opened = await openConsole(browser, server.url);
  const { page } = opened;
  await row(page, "api").getByRole("button", { name: "api" }).first().click();
  await page.getByRole("link", { name: "Open the log" }).click();
  const log = page.getByRole("log", { name: "Log of api" });
  return { ...opened, log };
}

describe.skipIf(!hasBrowser)("the log of a process", () => {
  longTest("shows the last lines and follows; only rows near the viewport are rendered", async () => {
    const { page, log } = await openLog();
    await log.getByText("line 1999").waitFor();
    appendFileSync(path, `token ${CANARY}\n${Array.from({ length: 400 }, (_, at) => `more ${at}\n`).join("")}`);
    await log.getByText("more 399").waitFor();
    await expect.poll(() => log.locator(".log-line").count()).toBeLessThan(100);
    await expectAccessibleInEveryLook({ page });
  });

  longTest("scrolled up, it does not move and counts the new lines", async () => {
    const { page, log } = await openLog();
    await log.locator(".log-line").first().waitFor();
    await log.evaluate((element) => (element.scrollTop = 0));
    await page.waitForFunction(() => document.querySelector(".log-lines")?.scrollTop === 0);
    appendFileSync(path, "arrived 1\narrived 2\n");
    await page.getByRole("button", { name: "2 new" }).click();
    await log.getByText("arrived 2").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "2 new" }).count()).toBe(0);
  });

  longTest("a folded stack beyond the edge of the box does not widen the page", async () => {
    const { page, log } = await openLog();
    await page.setViewportSize({ width: 390, height: 844 });
    appendFileSync(path, `Error: ${"refused ".repeat(30)}\n    at one (a.js:1:1)\n    at two (b.js:2:2)\n`);
    await log.getByRole("button", { name: "+2 lines of its stack" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  longTest("the server searches, also lines that are not shown, and older lines are one click away", async () => {
    const { page, log } = await openLog();
    await page.getByLabel("Search the log").fill("LINE 1234");
    await log.getByText("line 1234").waitFor();
    await expect.poll(() => log.locator(".log-line").count()).toBe(1);
    await page.getByLabel("Search the log").fill("");
    await page.getByRole("button", { name: "Older lines" }).click();
    await page.waitForFunction(() => document.querySelector(".log-lines")!.scrollHeight > 510 * 20);
  });
});
