/// <reference lib="dom" />
/** A view says that there is nothing only after the answer that could hold something, and only if that answer is whole. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, testServer } from "../server/support.ts";
import { longTest } from "../support/runs.ts";
import { environmentPage } from "./environment-page.ts";
import { handMonitoring, metricsOf } from "./hand-monitoring.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";
import { a, suiteOf } from "./stored-targets.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

/** Holds back every answer to these requests until `release`. */
async function hold(page: Page, pattern: RegExp) {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => void (release = resolve));
  await page.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return () => release();
}

/** Opens a view whose answers to these requests are held back. */
async function heldConsole(url: string, pattern: RegExp, options: ConsoleOptions) {
  let release = (): void => {};
  const prepare = async (page: Page): Promise<void> => void (release = await hold(page, pattern));
  const opened = await openConsole(browser, url, { ...options, prepare });
  return { ...opened, release: () => release() };
}

function declared() {
  const files = repository();
  writeFileSync(join(files.root, "deployments.yaml"), JSON.stringify(suiteOf(a)));
  return testServer({ ...noPm2, repository: files });
}

const NOTHING =
  /No deploy targets yet|0 targets|No interface adapters yet|0 adapters|No service configuration is saved/;

describe.skipIf(!hasBrowser)("while the answer is still to come", () => {
  test("no view says that nothing is declared", async () => {
    const { page, release } = await heldConsole((await declared()).url, /\/api\/declarations/, { tab: "targets" });
    for (const tab of ["targets", "interfaces", "service", "transfer"]) {
      await page.evaluate((id) => void (location.hash = `#/${id}`), tab);
      const panel = page.locator(`#panel.${tab}`);
      await panel.getByText("Reading the declarations…").waitFor();
      expect(await panel.innerText()).not.toMatch(NOTHING);
      expect(await panel.getByText("Nothing is described yet").count()).toBe(0);
    }
    await page.evaluate(() => void (location.hash = "#/targets"));
    release();
    await page.locator("#panel.targets").getByText("1 target:").waitFor();
  });

  longTest("the check and the comparison of another env file are not those of the former one", async () => {
    const { page, field } = await environmentPage(browser);
    const check = page.getByRole("region", { name: /^Check of/ });
    await check.getByText("The file follows the runtime contract.").waitFor();
    await field("Compare dev with").selectOption("ci");
    const comparison = page.getByRole("region", { name: "Compare" });
    await comparison.getByText(/keys? differs?/).waitFor();
    const release = await hold(page, /\/api\/runtime\/env\/(?:check|diff)/);
    await field("Compare dev with").selectOption("staging");
    await expect.poll(() => comparison.getByText(/keys? differs?/).count()).toBe(0);
    await page.getByRole("combobox", { name: "Environment" }).selectOption("ci");
    await page.getByRole("region", { name: "Check of .env.ci" }).waitFor();
    await expect.poll(() => check.getByText("The file follows the runtime contract.").count()).toBe(0);
    release();
    await comparison.getByText(/keys? differs?/).waitFor();
  });

  longTest("the command bar does not say that no app has the name", async () => {
    const { page, telemetry } = await handMonitoring(browser, { tab: "activity" });
    Object.assign(telemetry, { collect: async () => metricsOf(Date.now(), [{ name: "billing" }]) });
    const release = await hold(page, /\/api\/runtime\/pm2-metrics/);
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "An app, a view or a command" }).fill("bill");
    await page.getByText("Reading the apps…").waitFor();
    expect(await page.getByText("Nothing has this name.").count()).toBe(0);
    release();
    await page.getByRole("option", { name: "billing: log" }).waitFor();
  });

  test("the command bar reads the apps again if the last sample belongs to a view that was left", async () => {
    const { page, telemetry, give } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{ name: "web" }]);
    await page.locator(".process-name").first().waitFor();
    await page.evaluate(() => void (location.hash = "#/activity"));
    await page.locator("#panel.activity h1").waitFor();
    Object.assign(telemetry, { collect: async () => metricsOf(Date.now(), [{ name: "billing" }]) });
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "An app, a view or a command" }).fill("bill");
    await page.getByRole("option", { name: "billing: log" }).waitFor();
    expect(await page.getByText("Nothing has this name.").count()).toBe(0);
  });

  longTest("the plan of other choices is not that of the former ones", async () => {
    const { page } = await openConsole(browser, (await testServer(noPm2)).url, { tab: "plan" });
    await page.getByText("No ecosystem file").waitFor();
    const release = await hold(page, /\/api\/runtime\/plan/);
    await page.getByRole("checkbox", { name: "Prune" }).check();
    await page.getByText("Reading the plan…").waitFor();
    await expect.poll(() => page.getByText("No ecosystem file").count()).toBe(0);
    release();
    await page.getByText("No ecosystem file").waitFor();
  });

  longTest("the apps of another environment are not those of the former one", async () => {
    const { page } = await openConsole(browser, (await testServer(noPm2)).url, { tab: "pm2" });
    await page.getByText("No ecosystem for dev.").waitFor();
    const release = await hold(page, /\/api\/runtime\/pm2-ecosystem/);
    await page.getByRole("combobox", { name: "Environment" }).selectOption("staging");
    await expect.poll(() => page.getByText("No ecosystem for dev.").count()).toBe(0);
    release();
    await page.getByText("No ecosystem for staging.").waitFor();
  });
});

describe.skipIf(!hasBrowser)("a part that could not be read", () => {
  longTest("leaves open if anything has happened", async () => {
    const { page } = await openConsole(browser, (await testServer(noPm2)).url, {
      tab: "activity",
      mayFail: true,
      prepare: (first) => first.route(/\/api\/events/, (route) => route.abort()),
    });
    await page.getByText("The server cannot be reached.").waitFor();
    await expect.poll(() => page.getByText("Reading what happened…").count()).toBe(0);
    expect(await page.getByText("Nothing has happened").count()).toBe(0);
  });

  longTest("leaves open if a declared app needs attention", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([{ name: "web" }], { error: "The ecosystem file cannot be run.", code: "ECOSYSTEM_FILE_FAILED" });
    const line = page.locator(".state-line");
    await line.getByText("the declared apps are unknown").waitFor();
    expect(await line.innerText()).not.toContain("No app needs attention");
    give([{ name: "web" }]);
    await line.getByText("No app needs attention").waitFor();
  });
});
