/// <reference lib="dom" />
/** Accessible names, and process names that would change the text direction around them. */
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, testServer } from "../server/support.ts";
import { focused } from "./keyboard.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { PM2_HOME: "/nowhere/pm2" };
/** Right-to-left override: the text after it is shown backwards, unless it is isolated. */
const TURNED = "api\u202Etset";

describe.skipIf(!hasBrowser)("a name with a direction mark", () => {
  test("does not reverse the words around it in the PM2 preview", async () => {
    const files = repository();
    mkdirSync(join(files.root, "pm2"));
    const apps = [{ name: `${TURNED}-restapi`, script: "a.js" }];
    writeFileSync(join(files.root, "pm2/ecosystem.dev.config.cjs"), `module.exports = ${JSON.stringify({ apps })};`);
    const server = await testServer({ repository: files, env: noPm2 });
    const { page } = await openConsole(browser, server.url, { tab: "pm2" });
    await page.locator(".apps tbody th").waitFor();
    const open = await page.evaluate((mark) => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const around: string[] = [];
      while (walker.nextNode()) {
        const { parentElement, textContent } = walker.currentNode;
        if (!textContent?.includes(mark) || parentElement === null) continue;
        const isAlone = getComputedStyle(parentElement).unicodeBidi.startsWith("isolate");
        if (!isAlone) around.push(`${parentElement.tagName}: ${textContent}`);
      }
      return around;
    }, "\u202E");
    expect(open).toEqual([]);
  });

  longTest("is written as an escape in a question", async () => {
    const { page, give, telemetry, answer, questions } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{ name: TURNED }]);
    answer(false);
    await page.getByRole("button", { name: /^Stop / }).click();
    await expect.poll(() => questions).toEqual(["Stop api\\u202etset (PM2 id 0)?"]);
  });
});

describe.skipIf(!hasBrowser)("the parts of the page", () => {
  longTest(
    "have names: the table has one, and a panel has the name of its tab without the number of errors",
    async () => {
      const { page, give, telemetry } = await handMonitoring(browser);
      await telemetry.watchers(1);
      give([{ status: "errored" }]);
      await page.getByRole("table", { name: "Processes" }).waitFor();
      await page.getByRole("link", { name: "Monitoring 1 error" }).waitFor();
      await expect.poll(() => page.getByRole("region", { name: "Monitoring", exact: true }).count()).toBe(1);
      await page.getByRole("link", { name: "Export" }).click();
      await page.getByRole("group", { name: "Content of service-management.json" }).waitFor();
    },
  );

  longTest("a key that opens a tab moves the focus there", async () => {
    const server = await testServer({ env: noPm2 });
    const { page } = await openConsole(browser, server.url, { tab: "activity" });
    await page.keyboard.press("8");
    await page.getByRole("heading", { level: 1, name: "Deploy targets" }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("panel");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Name");
  });

  longTest('"live" is shown only beside running charts', async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{}]);
    await page.locator(".live-mark").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".live-mark").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Activity" }).click();
    await expect.poll(() => page.getByText("live").count()).toBe(0);
    await expect.poll(() => page.locator(".server").textContent()).toBe("Connected");
  });
});
