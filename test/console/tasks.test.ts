/// <reference lib="dom" />
/** Everyday tasks from the opened page to their end, each with the number of clicks that it takes at least. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { CONFIG_FOLDER } from "../support/workspace.ts";
import { makeRepository } from "../support/git.ts";
import { post, testServer } from "../server/support.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };
const ROOT = join(import.meta.dirname, "../..");

/** Counts what a person clicks. A choice in a select is two clicks, one of them to open it. */
async function counted(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counter = window as unknown as { clicks: number };
    counter.clicks = 0;
    addEventListener("pointerdown", () => (counter.clicks += 1), true);
    addEventListener("change", ({ target }) => (counter.clicks += target instanceof HTMLSelectElement ? 2 : 0), true);
  });
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks);
}

async function opened(options: ConsoleOptions = {}) {
  const server = await testServer(noPm2);
  const open = await openConsole(browser, server.url, options);
  return { ...open, server, clicks: await counted(open.page) };
}

describe.skipIf(!hasBrowser)("a task", () => {
  test("why does it restart: 0 clicks", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    const details = "It ended by itself 26 times in 4 minutes.";
    give([{ name: "auth" }, { name: "consumer", problem: { code: "PROCESS_CRASH_LOOP", details } }]);
    await expect.poll(() => page.locator("tbody tr").first().innerText()).toContain(details);
  });

  test("staging against dev: 3 clicks", async () => {
    const { page, tab, clicks } = await opened();
    await tab("Runtime environment").click();
    await page.getByLabel("Compare dev with").selectOption("staging");
    await page.getByText("SVC_DATABASE_NAME").first().waitFor();
    expect(await clicks()).toBe(3);
  });

  test("change a key: 4 clicks", async () => {
    const { page, tab, field, button, server, clicks } = await opened();
    await tab("Runtime environment").click();
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
    expect(await clicks()).toBe(4);
  });

  test("who changed what: 1 click", async () => {
    const { page, tab, server, clicks } = await opened();
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    await tab("Activity").click();
    await page.getByText("SVC_HTTP_FRAMEWORK").first().waitFor();
    expect(await clicks()).toBe(1);
  });

  test("who eats memory: 1 click", async () => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give([
      { name: "small", memoryBytes: 1 },
      { name: "large", memoryBytes: 2 ** 30 },
    ]);
    const clicks = await counted(page);
    await page.getByRole("button", { name: "Memory", exact: true }).click();
    await expect.poll(() => page.locator("tbody .name").first().textContent()).toBe("large");
    expect(await clicks()).toBe(1);
  });

  test("read the deployments.yaml of the repository: 1 click; a target into a pull request: 3 and its name", async () => {
    const files = makeRepository({});
    cpSync(join(ROOT, CONFIG_FOLDER), files.path(CONFIG_FOLDER), { recursive: true });
    cpSync(join(ROOT, "deployments.yaml"), files.path("deployments.yaml"));
    files.commit();
    const { root } = files;
    const repository = { root, envFile: (name: string) => files.path(name), auditFile: files.path("audit") };
    const server = await testServer({ ...noPm2, repository });
    const { page, tab, button, field } = await openConsole(browser, server.url);
    const clicks = await counted(page);
    await tab("Deploy targets").click();
    await page.getByText("From deployments.yaml at commit").waitFor();
    await page.getByText("rack-2").waitFor();
    expect(await clicks()).toBe(1);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
    });
    await button("New deploy target").click();
    await field("Name").fill("dr-site");
    await field("Runtime").fill("node22");
    await page.keyboard.press("Enter");
    await page.getByText("dr-site added").waitFor();
    await button("Copy patch").click();
    await page.getByText("Copied the patch.").waitFor();
    expect(await clicks()).toBe(3);
    writeFileSync(files.path("draft.patch"), (await page.locator("body").getAttribute("data-copied")) ?? "");
    files.git("apply", "draft.patch");
    expect(files.git("diff", "--numstat", "deployments.yaml")).toMatch(/^\d+\t0\t/);
    expect(files.read("deployments.yaml")).toContain("  - name: dr-site\n");
  });

  test("start an app that PM2 does not know: 1 click", async () => {
    const { page, give, telemetry, button } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    give([{ name: "auth" }], { missingExpected: ["mailer"] });
    const clicks = await counted(page);
    await button("Start mailer").click();
    // The PM2 of this test does not run, so the server refuses the action.
    await page.locator(".toast.error").getByText("start of mailer").waitFor();
    expect(await clicks()).toBe(1);
  });

  test("share exactly what is on the page: 1 click", async () => {
    const { page, give, telemetry, server, button } = await handMonitoring(browser, {
      tab: "monitoring?find=th&sort=-memory&range=1m&open=0+auth&columns=disk",
    });
    await telemetry.watchers(1);
    const processes = [{ name: "auth" }, { name: "mailer" }, { name: "other", memoryBytes: 2 ** 40 }];
    give(processes);
    await page.getByRole("region", { name: /^Facts of auth/ }).waitFor();
    const clicks = await counted(page);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
    });
    await button("Copy the link to this view").click();
    expect(await clicks()).toBe(1);
    const link = (await page.locator("body").getAttribute("data-copied")) ?? "";
    expect(new URL(link).origin).toBe(server.url);
    const other = await openConsole(browser, server.url, { tab: new URL(link).hash.replace("#/", "") });
    await telemetry.watchers(2);
    give(processes);
    await other.page.getByRole("region", { name: /^Facts of auth/ }).waitFor();
    expect(await other.page.locator("tbody .name").allTextContents()).toEqual(["other", "auth"]);
    expect(await other.page.getByRole("radio", { name: "1m" }).isChecked()).toBe(true);
    expect(await other.page.getByRole("columnheader", { name: "Disk I/O" }).count()).toBe(1);
  });
});
