/// <reference lib="dom" />
/** Logs while an app writes forty lines a second and ends, and while the server restarts. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository } from "../server/support.ts";
import { crashLine } from "../support/bad-night.ts";
import { quietApp } from "../support/quiet-app.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();
const CRASH = Math.floor(Date.now() / 1000) * 1000 - 120_000;
const paths = { chatty: "", plain: "" };

/** Forty lines a second from a minute before the crash on, with the reason in its second. */
function chattyLines(): string {
  const lines = Array.from(
    { length: 40 * 120 },
    (_, at) => `${new Date(CRASH - 60_000 + at * 25).toISOString()} line ${at}`,
  );
  lines.splice(60 * 40 + 20, 0, `${new Date(CRASH + 500).toISOString()} Error: connect ECONNREFUSED`);
  return `${lines.join("\n")}\n`;
}

beforeAll(async () => {
  await real.startDaemon();
  paths.chatty = await quietApp(real, "chatty", chattyLines());
  paths.plain = await quietApp(real, "plain", Array.from({ length: 300 }, (_, at) => `plain ${at}\n`).join(""));
  appendFileSync(join(real.home, "pm2.log"), crashLine(CRASH, "chatty", 0) + crashLine(CRASH, "plain", 1));
});
afterAll(() => real.end());

describe.skipIf(!hasBrowser)("the log around a crash", () => {
  longTest("has lines on both sides of the moment, and says which lines have no time", async () => {
    const { page } = await openConsole(browser, (await serverOver(real)).url, { tab: "activity?show=failures" });
    const rows = page.locator("tbody tr.event");
    await rows.filter({ hasText: "chatty" }).getByRole("link", { name: "Log around it" }).click();
    const around = page.getByRole("region", { name: /^Log of chatty around/ });
    await around.getByText("ECONNREFUSED").waitFor();
    const texts = await around.locator(".log-line, .log-moment").allInnerTexts();
    const moment = texts.findIndex((text) => !text.includes("line") && !text.includes("Error"));
    expect([moment, texts.length]).toEqual([250, 501]);
    await page.goBack();
    await rows.filter({ hasText: "plain" }).getByRole("link", { name: "Log around it" }).click();
    await page.getByText(/^These lines have no time, so they are the newest of their log/).waitFor();
    await page.getByRole("region", { name: "Newest lines of plain without a time" }).getByText("plain 299").waitFor();
  });
});

describe.skipIf(!hasBrowser)("a followed log", () => {
  test("says that nothing matches, is wrapped, saved as shown, and opened around a bar of its errors", async () => {
    const { page, button } = await openConsole(browser, (await serverOver(real)).url, { tab: "logs?apps=plain" });
    const log = page.getByRole("log", { name: "Log of plain" });
    await log.getByText("plain 299").waitFor();
    await page.getByLabel("Search the log").fill("nobody wrote this");
    await page.getByText("No line matches.").waitFor();
    await expect.poll(() => log.locator(".log-line").count()).toBe(0);
    await page.getByLabel("Search the log").fill("");
    await log.getByText("plain 299").waitFor();
    await page.getByLabel("Wrap").check();
    await expect
      .poll(() =>
        log
          .locator(".log-line")
          .last()
          .evaluate((line) => getComputedStyle(line).whiteSpace),
      )
      .toBe("pre-wrap");
    const saving = page.waitForEvent("download");
    await button("Download").click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("plain.log");
    expect(readFileSync(await saved.path(), "utf8")).toMatch(/^plain plain \d+\n[^]*plain 299\n$/);
    appendFileSync(paths.chatty, `${new Date(CRASH + 60_000).toISOString()} ERROR the last line\n`);
    await page.goto(page.url().replace("plain", "chatty"));
    const bars = page.getByRole("list", { name: "Errors in these lines, over their time" });
    await bars.getByRole("link").last().click();
    const around = page.getByRole("region", { name: /^Log of chatty around/ });
    await around.getByText("ERROR the last line").waitFor();
  });

  longTest("goes on beside a second one, and says that it stopped while the server is away", async () => {
    const files = repository();
    const server = await serverOver(real, { repository: files });
    const { page } = await openConsole(browser, server.url, { mayFail: true, tab: "logs?apps=chatty,plain" });
    const log = page.getByRole("log", { name: "Log of chatty, plain" });
    await page.getByText(/^No line of plain has a time/).waitFor();
    await log.getByText("plain 299").waitFor();
    appendFileSync(paths.chatty, "the first goes on\n");
    await log.getByText("the first goes on").waitFor();
    await server.close();
    const stopped = page.getByText(/^The log stopped at \d\d:\d\d:\d\d\./);
    await expect.poll(() => stopped.count()).toBe(1);
    appendFileSync(paths.chatty, "written meanwhile\n");
    await serverOver(real, { repository: files, port: server.port });
    await log.getByText("written meanwhile").waitFor();
    await expect.poll(() => stopped.count()).toBe(0);
    await expect.poll(() => log.getByText("the first goes on").count()).toBe(1);
    appendFileSync(paths.plain, "the second goes on\n");
    await log.getByText("the second goes on").waitFor();
  });
});
