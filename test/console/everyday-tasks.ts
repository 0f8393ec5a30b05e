/// <reference lib="dom" />
/** Everyday tasks, from opening the page to the result. */
import { cpSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { makeRepository } from "../support/git.ts";
import { quietApp } from "../support/quiet-app.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { MIB, stepsBetween, writeHistory } from "../support/recorded.ts";
import { CONFIG_FOLDER } from "../support/workspace.ts";
import { post, repository, testServer, type TestServer } from "../server/support.ts";
import { handMonitoring, keepGiving } from "./hand-monitoring.ts";
import { row, serverOver } from "./monitoring-page.ts";
import { openConsole, type Browser, type ConsoleOptions } from "./open-console.ts";
import { copiesOf, counted, inEveryWay, type Tasks, type Way } from "./task.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOUR = 3_600_000;

export async function opened(by: Way, browser: Browser, server: TestServer, options: ConsoleOptions = {}) {
  const open = await openConsole(browser, server.url, { ...by.look, ...options });
  return { ...open, server, clicks: await counted(open.page) };
}

export async function monitored(by: Way, browser: Browser, options: Parameters<typeof handMonitoring>[1] = {}) {
  const open = await handMonitoring(browser, { ...by.look, ...options });
  await open.telemetry.watchers(1);
  return { ...open, clicks: await counted(open.page) };
}

/** PM2 keeps the app of the way before. */
function named(app: string, by: Way): string {
  return `${app}-${by.name.replaceAll(" ", "-")}`;
}

export function everydayTasks(browser: Browser, tasks: Tasks = inEveryWay): void {
  // The first task with an app starts its daemon.
  const real = pm2();
  afterAll(() => real.end());
  onTrouble(browser, tasks, real);
  onThePast(browser, tasks);
  onEnvironments(browser, tasks, real);
  onDeclarations(browser, tasks);
}

function onTrouble(browser: Browser, { task, longTask }: Tasks, real: Pm2): void {
  longTask("why does it restart", { clicks: 0, first: "impossible" }, async (by) => {
    const { page, give, clicks } = await monitored(by, browser);
    const details = "It ended by itself 26 times in 4 minutes.";
    give([{ name: "auth" }, { name: "consumer", problem: { code: "PROCESS_CRASH_LOOP", details } }]);
    await expect.poll(() => page.locator("tbody tr").first().innerText()).toContain(details);
    return clicks;
  });

  longTask("the last lines of its log", { clicks: 2, first: "impossible" }, async (by) => {
    const app = named("api", by);
    await quietApp(real, app, "one\ntwo\nthe last line\n");
    const { page, clicks } = await opened(by, browser, await serverOver(real));
    await by.press(row(page, app).getByRole("button", { name: app }).first());
    await by.press(page.getByRole("link", { name: "Open the log" }));
    await page
      .getByRole("log", { name: `Log of ${app}` })
      .getByText("the last line")
      .waitFor();
    return clicks;
  });

  longTask("a link to this line of the log", { clicks: 3, first: "impossible" }, async (by) => {
    const app = named("dated", by);
    // The lines around it are those of half a minute.
    const at = new Date(Date.now() - 20_000).toISOString();
    await quietApp(real, app, `${at} the line in question\n${new Date().toISOString()} a later one\n`);
    const { page, clicks } = await opened(by, browser, await serverOver(real));
    await by.press(row(page, app).getByRole("button", { name: app }).first());
    await by.press(page.getByRole("link", { name: "Open the log" }));
    const line = page.locator(".log-line", { hasText: "the line in question" });
    await by.press(line.getByRole("link"));
    await page.waitForURL((url) => url.hash === `#/logs?apps=${app}&at=${encodeURIComponent(at)}`);
    await page
      .getByRole("region", { name: `Log of ${app} around` })
      .getByText("a later one")
      .waitFor();
    return clicks;
  });

  longTask("mute a known alarm until Monday", { clicks: 4, first: "impossible" }, async (by) => {
    const { page, give, clicks, field } = await monitored(by, browser, { mayFail: true });
    give([{ name: "feed", status: "errored", pid: null }]);
    await by.press(page.getByRole("button", { name: "Mute…" }));
    await by.choose(field("Until"), "monday");
    await by.press(page.getByRole("dialog").getByRole("button", { name: "Mute", exact: true }));
    await page.getByText("1 muted").waitFor();
    await page.getByText("No app needs attention").waitFor();
    return clicks;
  });

  task("start an app that PM2 does not know", { clicks: 1, first: 1 }, async (by) => {
    const { page, give, button, clicks } = await monitored(by, browser, { mayFail: true });
    // Without samples, the page offers no action.
    keepGiving(() => give([{ name: "auth" }], { missingExpected: ["mailer"] }));
    await by.press(button("Start mailer"));
    await page.locator(".toast.error").getByText("start of mailer").waitFor();
    return clicks;
  });

  longTask("be told while the page is in the background", { clicks: 1, first: "impossible" }, async (by) => {
    const { page, give, button, clicks } = await monitored(by, browser, { prepare: withNotices });
    give([{ name: "auth" }]);
    await page.locator(".process-name").waitFor();
    await by.press(button("Notify me of trouble while this page is hidden"));
    await page.locator("[aria-pressed=true][aria-label^=Notify]").waitFor();
    await page.evaluate(() => void Object.defineProperty(document, "hidden", { value: true }));
    give([{ name: "auth", status: "errored" }]);
    const notices = () => page.evaluate(() => (window as unknown as { notices: string[] }).notices);
    await expect.poll(notices).toEqual(["1 app needs attention"]);
    give([{ name: "auth", status: "errored" }]);
    give([{ name: "auth" }]);
    await expect.poll(() => page.title()).toMatch(/^Monitoring/);
    await expect.poll(() => notices()).toHaveLength(1);
    return clicks;
  });
}

/** A headless browser shows no notifications, but the page asks for the permission as usual. */
function withNotices(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const notices: string[] = [];
    class Notice extends EventTarget {
      static permission = "default";
      static requestPermission(): Promise<string> {
        return Promise.resolve((Notice.permission = "granted"));
      }
      constructor(title: string) {
        super();
        notices.push(title);
      }
    }
    Object.assign(window, { Notification: Notice, notices });
  });
}

function recorded() {
  const files = repository();
  const now = Date.now();
  const memory = (ms: number): number => Math.round(MIB * (700 - ((now - ms) / (8 * HOUR)) * 600));
  writeHistory(files.root, stepsBetween(now - 8 * HOUR, now, memory), now);
  return { server: { repository: files } };
}

/** A phone has no room for that column, so it has a list of orders. */
async function sortedByGrowth(by: Way, page: Page): Promise<void> {
  if (by.look.isPhone === true) await by.choose(page.getByLabel("Sort by"), "-growth");
  else await by.press(page.getByRole("button", { name: "Growth" }));
}

function onThePast(browser: Browser, { longTask }: Tasks): void {
  const grown = { name: "api", pmId: 0, memoryBytes: 700 * MIB };

  longTask("now against an hour ago", { clicks: 2, first: "impossible" }, async (by) => {
    const { page, give, clicks } = await monitored(by, browser, recorded());
    give([grown]);
    await by.press(page.locator("label", { hasText: /^1h$/ }));
    await by.press(page.locator("label", { hasText: "Compare with the 1h before" }));
    const chart = page.getByRole("application", { name: /^CPU of the host/ });
    const read = async (): Promise<string | null> => {
      await chart.press("Home");
      return await chart.locator("[aria-live]").textContent();
    };
    await expect.poll(read).toContain("Before 10%");
    return clicks;
  });

  longTask("who eats memory now", { clicks: 1, first: 1 }, async (by) => {
    const { page, give, clicks } = await monitored(by, browser);
    give([
      { name: "small", memoryBytes: 1 },
      { name: "large", memoryBytes: 2 ** 30 },
    ]);
    await by.press(page.getByRole("button", { name: "Memory", exact: true }));
    await expect.poll(() => page.locator("tbody .name").first().textContent()).toBe("large");
    return clicks;
  });

  longTask("who eats memory since the morning", { clicks: 2, touches: 3, first: "impossible" }, async (by) => {
    const { page, give, clicks } = await monitored(by, browser, recorded());
    give([{ name: "idle", pmId: 1, memoryBytes: 900 * MIB }, grown]);
    await by.press(page.locator("label", { hasText: /^6h$/ }));
    await sortedByGrowth(by, page);
    await expect.poll(() => row(page, "api").locator(".growth").textContent()).toMatch(/^\+4[345]\d MB$/);
    await expect.poll(() => page.locator("tbody .name").allTextContents()).toEqual(["api", "idle"]);
    return clicks;
  });

  longTask("who changed what yesterday", { clicks: 1, first: 4 }, async (by) => {
    const server = await testServer();
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    const { auditFile } = server.repository;
    const day = /\d{4}-\d\d-\d\d(?=T)/g;
    const text = readFileSync(auditFile, "utf8");
    const [written = ""] = text.match(day) ?? [];
    const yesterday = new Date(Date.parse(written) - 24 * HOUR).toISOString().slice(0, 10);
    writeFileSync(auditFile, text.replaceAll(day, yesterday));
    await post(server, { values: { SVC_DATABASE_DRIVER: "MySQL" } });
    const { page, clicks } = await opened(by, browser, server, { timeZone: "UTC" });
    await by.visit(page, "activity");
    await page.getByText("SVC_DATABASE_DRIVER").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(yesterday);
    const rows = page.locator("tbody tr:not(.day)");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("SVC_HTTP_FRAMEWORK")]);
    return clicks;
  });
}

function onEnvironments(browser: Browser, { task, longTask }: Tasks, real: Pm2): void {
  longTask("staging against dev", { clicks: 3, first: 3 }, async (by) => {
    const { page, clicks } = await opened(by, browser, await testServer());
    await by.visit(page, "environment");
    await by.choose(page.getByLabel("Compare dev with"), "staging");
    await page.getByText("SVC_DATABASE_NAME").first().waitFor();
    return clicks;
  });

  longTask("change a key and make it effective in one app", { clicks: 5, first: 7 }, async (by) => {
    const files = repository();
    const app = { name: named("web", by), script: join(real.folder, "web.cjs"), cwd: real.folder };
    writeFileSync(app.script, "setInterval(() => {}, 1e6);");
    for (const path of [app.script, files.envFile("dev")]) utimesSync(path, 1e9, 1e9);
    real.pm2Folder([{ ...app, node_args: [`--env-file=${files.envFile("dev")}`] }]);
    await real.startDeclared(app.name);
    const server = await serverOver(real, { repository: files, env: { NODE_ENV: "dev" } });
    const { page, field, button, clicks } = await opened(by, browser, server);
    await by.visit(page, "environment");
    await by.choose(field("HTTP framework"), "fastify");
    await by.press(button("Save"));
    await by.press(button("Restart 1"));
    await page.getByRole("group", { name: "Restarted with the new values" }).waitFor();
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
    return clicks;
  });

  task("roll a saved change back", { clicks: 1, first: "impossible" }, async (by) => {
    const server = await testServer();
    const { page, field, button } = await openConsole(browser, server.url, { ...by.look, tab: "environment" });
    const before = server.text();
    await by.choose(field("HTTP framework"), "fastify");
    await by.press(button("Save"));
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    const clicks = await counted(page);
    await by.press(button("Undo"));
    await expect.poll(() => server.text()).toBe(before);
    return clicks;
  });
}

/** A committed repository with this repository's deployments document. */
async function declared() {
  const files = makeRepository({});
  cpSync(join(ROOT, CONFIG_FOLDER), files.path(CONFIG_FOLDER), { recursive: true });
  cpSync(join(ROOT, "deployments.yaml"), files.path("deployments.yaml"));
  files.commit();
  const { root } = files;
  const server = { root, envFile: (name: string) => files.path(name), auditFile: files.path("audit") };
  return { files, server: await testServer({ repository: server }) };
}

function onDeclarations(browser: Browser, { task, longTask }: Tasks): void {
  longTask(
    "read the deployments.yaml of the repository",
    { clicks: 1, touches: 2, first: "impossible" },
    async (by) => {
      const { page, clicks } = await opened(by, browser, (await declared()).server);
      await by.visit(page, "targets");
      await page.getByText("From deployments.yaml at commit").waitFor();
      await page.getByText("rack-2").waitFor();
      return clicks;
    },
  );

  task("a target into a pull request", { clicks: 3, touches: 4, first: 13 }, async (by) => {
    const { files, server } = await declared();
    const { page, button, field, clicks } = await opened(by, browser, server);
    const copied = await copiesOf(page);
    await by.visit(page, "targets");
    await by.press(button("New deploy target"));
    await by.fill(field("Name"), "dr-site");
    await by.fill(field("Runtime"), "node22");
    await page.keyboard.press("Enter");
    await page.getByText("dr-site added").waitFor();
    await by.press(button("Copy patch"));
    await page.getByText("Copied the patch.").waitFor();
    writeFileSync(files.path("draft.patch"), await copied());
    files.git("apply", "draft.patch");
    expect(files.git("diff", "--numstat", "deployments.yaml")).toMatch(/^\d+\t0\t/);
    expect(files.read("deployments.yaml")).toContain("  - name: dr-site\n");
    return clicks;
  });
}
