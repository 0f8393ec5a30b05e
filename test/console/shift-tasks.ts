/// <reference lib="dom" />
/** Tasks of a shift: since the release, after a change, equal or not, safely, handed over. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ask, post, repository, testServer } from "../server/support.ts";
import { MIB, stepsBetween, writeHistory } from "../support/recorded.ts";
import { monitored, opened } from "./everyday-tasks.ts";
import { row } from "./monitoring-page.ts";
import { nightServer } from "./night-server.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { inEveryWay, type Way } from "./task.ts";

const HOUR = 3_600_000;

export function shiftTasks(browser: Browser): void {
  sinceRelease(browser);
  ofEnvironments(browser);
  ofProcesses(browser);
}

function sinceRelease(browser: Browser): void {
  const { longTask } = inEveryWay;

  longTask("memory and ends since the last release", { clicks: 2, first: "impossible" }, async (by) => {
    const files = repository();
    const now = Date.now();
    const memory = (ms: number): number => Math.round(MIB * (700 - ((now - ms) / (8 * HOUR)) * 600));
    writeHistory(files.root, stepsBetween(now - 8 * HOUR, now, memory), now);
    const endedAt = new Date(now - 2 * HOUR).toISOString();
    const release = { id: "1", environment: "dev", outcome: "applied", endedAt, steps: [] };
    const { page, give, clicks } = await monitored(by, browser, {
      server: { repository: files },
      prepare: (one) =>
        one.route(/\/api\/runtime\/releases/, (route) => route.fulfill({ json: { releases: [release] } })),
    });
    give([{ name: "api", pmId: 0, memoryBytes: 700 * MIB }]);
    await by.press(page.locator("label", { hasText: /^since release/ }));
    await by.press(row(page, "api").locator(".process-name"));
    await page
      .getByText(/^In the time since the last release: memory \+1[45]\d MB, 0 unexpected ends of api\.$/)
      .waitFor();
    return clicks;
  });

  longTask("who changed this variable, and what restarted after", { clicks: 2, first: "impossible" }, async (by) => {
    const { page, clicks } = await opened(by, browser, await nightServer(), { mayFail: true });
    await by.visit(page, "activity");
    const change = page.locator("tbody tr:not(.day)").filter({ hasText: "SVC_HTTP_FRAMEWORK" });
    await by.press(change.getByRole("button", { name: "Events after it" }));
    const requested = page.getByRole("list", { name: "On request" });
    await requested.getByText(/^[\d:]+ web \(id 1\) was restarted/).waitFor();
    return clicks;
  });
}

function ofEnvironments(browser: Browser): void {
  const { longTask } = inEveryWay;

  longTask("is staging equal to dev, with its apps", { clicks: 3, first: "impossible" }, async (by) => {
    const files = repository();
    const folder = join(files.root, "pm2-files");
    mkdirSync(folder);
    for (const [name, instances] of [
      ["dev", 1],
      ["staging", 3],
    ] as const)
      writeFileSync(
        join(folder, `ecosystem.${name}.config.cjs`),
        `module.exports = { apps: [{ name: "web", script: "./web.js", instances: ${instances} }] };`,
      );
    const env = { SVC_SERVICE_MANAGEMENT_PM2_DIR: folder };
    const { page, clicks } = await opened(by, browser, await testServer({ repository: files, env }), { mayFail: true });
    await by.visit(page, "environment");
    await by.choose(page.getByLabel("Compare dev with"), "staging");
    const apps = page.getByLabel("Differences between the apps of dev and staging");
    await expect.poll(() => apps.innerText()).toMatch(/web instances\s+dev\s*1\s+staging\s*3/);
    return clicks;
  });

  longTask("two pages with two environments", { clicks: 2, first: "impossible" }, async (by) => {
    const server = await testServer();
    const other = await openConsole(browser, server.url, { ...by.look, tab: "plan" });
    const { page, clicks } = await opened(by, browser, server, { tab: "plan" });
    await by.choose(environmentOf(page), "production");
    await page.locator(".top.production").waitFor();
    await expect.poll(() => page.title()).toContain("production");
    expect(await other.page.title()).toContain("dev");
    expect(await other.page.locator(".top.production").count()).toBe(0);
    return clicks;
  });
}

const environmentOf = (page: Awaited<ReturnType<typeof openConsole>>["page"]) =>
  page.getByRole("combobox", { name: "Environment", exact: true });

function ofProcesses(browser: Browser): void {
  const { longTask } = inEveryWay;

  longTask("restart all workers of an app, one by one", { clicks: 1, touches: 3, first: "impossible" }, async (by) => {
    const { page, give, sockets, clicks } = await monitored(by, browser, { mayFail: true });
    const worker = { name: "web", execMode: "cluster" } as const;
    give([worker, worker, { name: "api" }]);
    await row(page, "web").first().waitFor();
    const sent = sockets[0]?.waitForEvent("framesent", ({ payload }) => String(payload).includes('"action"'));
    await reloadAll(by, page);
    expect(JSON.parse(String((await sent)?.payload))).toMatchObject({ action: "reload", name: "web" });
    return clicks;
  });

  longTask(
    "take over: what is muted, noted and stopped, and by whom",
    { clicks: 2, first: "impossible" },
    async (by) => {
      const { page, give, server, clicks } = await monitored(by, browser, { mayFail: true });
      const mute = { subject: "feed", kinds: ["PROCESS_ERRORED"], until: "8h", reason: "waits for the vendor" };
      await post(server, mute, {}, "/api/marks/mute");
      await post(server, { subject: "cron-worker", text: "stopped for the migration" }, {}, "/api/marks/note");
      expect((await ask(server, "/api/marks")).json.marks).toHaveLength(2);
      give([
        { name: "feed", status: "errored", pid: null },
        { name: "cron-worker", status: "stopped", state: "stopped", stateReason: "by ann since 21:00", pid: null },
      ]);
      await by.press(page.getByText("1 muted"));
      await page.getByText("waits for the vendor").waitFor();
      await by.press(row(page, "cron-worker").locator(".process-name"));
      const panel = page.getByRole("region", { name: "Process cron-worker" });
      await panel.getByText(/: stopped for the migration$/).waitFor();
      await panel.getByText("stopped by ann since 21:00").waitFor();
      return clicks;
    },
  );
}

/** The row of a phone has no buttons, so there the panel of an instance acts on all of them. */
async function reloadAll(by: Way, page: Awaited<ReturnType<typeof openConsole>>["page"]): Promise<void> {
  if (by.look.isPhone !== true) return by.press(page.getByRole("button", { name: "Reload web, all 2 instances" }));
  await by.press(row(page, "web").first().locator(".process-name"));
  await by.press(page.locator("tr.instance .process-name").first());
  await by.press(page.getByRole("button", { name: "Reload all 2" }));
}
