/// <reference lib="dom" />
/** The monitoring tab with a real PM2: live values, actions, and restarts of server and daemon. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, type ServerOptions } from "../server/support.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { axe, expectAccessibleInEveryLook } from "./accessibility.ts";
import { names, nextSample, row, serverOver } from "./monitoring-page.ts";
import { openConsole, type ConsoleOptions, titleOf } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const real = pm2();
const CANARY = "canary-of-an-app";

beforeAll(async () => {
  await real.startDaemon();
  real.pm2Folder([
    { name: "api", script: "./api.cjs", env: { APP_MODE: "new" } },
    { name: "mailer", script: "./mailer.cjs" },
  ]);
  await real.run({ name: "api", env: { APP_SECRET: CANARY, SVC_OLD: CANARY, APP_MODE: "old" } });
  await real.run({ name: "worker", namespace: "batch" });
  await real.run({ name: "zeta" });
});

afterAll(() => real.end());

const start = (options: ServerOptions = {}) => serverOver(real, options);

async function live({
  mayFail = false,
  isPhone = false,
  theme = "light",
  ...rest
}: ServerOptions & ConsoleOptions = {}) {
  const server = await start(rest);
  const opened = await openConsole(browser, server.url, { mayFail, isPhone, theme });
  await row(opened.page, "zeta").waitFor();
  return { server, ...opened };
}

describe.skipIf(!hasBrowser)("live values", () => {
  longTest("host and processes are shown and keep updating", async () => {
    const { page } = await live();
    await expect.poll(() => names(page)).toEqual(["api", "worker", "zeta"]);
    for (const name of ["CPU", "Memory", "Disk"]) {
      const card = page.getByRole("region", { name, exact: true });
      await expect.poll(() => card.locator(".now").textContent()).toMatch(/^\d+\.\d%$|^–%$/);
      await expect.poll(() => card.locator("canvas").count()).toBe(1);
    }
    await expect.poll(() => row(page, "api").textContent()).toMatch(/online.*MB/);
    await nextSample(page);
  });

  longTest("with everything expanded, the page is accessible and fits in every theme", async () => {
    const { page } = await live();
    await page.getByRole("checkbox", { name: "Async context" }).check();
    await page.getByRole("button", { name: /^\d+ cores?$/ }).click();
    await page.getByRole("button", { name: "api" }).first().click();
    await page.getByRole("heading", { name: "Drift from the ecosystem file" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await expectAccessibleInEveryLook({ page });
  });

  test("drift and stale environment are marked and listed by names, never by values", async () => {
    const { page } = await live();
    await row(page, "api").getByText("drift", { exact: true }).waitFor();
    await row(page, "api").getByText("stale env").waitFor();
    await page.getByRole("button", { name: "api" }).first().click();
    const drift = page.getByRole("region", { name: "Drift from the ecosystem file" });
    await drift.getByText("SVC_OLD").waitFor();
    await expect.poll(() => drift.textContent()).toMatch(/APP_MODE/);
    await expect.poll(() => page.content()).not.toContain(CANARY);
    await page.getByRole("heading", { name: "1 app declared in ecosystem.dev.config.cjs, not known to PM2" }).waitFor();
    await expect.poll(() => page.locator(".missing li").allTextContents()).toEqual(["mailerStart"]);
  });

  longTest("the socket is open as long as the tab is", async () => {
    const { page, sockets } = await live();
    expect(sockets.map((socket) => socket.isClosed())).toEqual([false]);
    const closed = sockets[0]?.waitForEvent("close");
    await page.getByRole("link", { name: "Activity" }).click();
    await closed;
    await page.getByRole("link", { name: "Monitoring" }).click();
    await row(page, "zeta").waitFor();
    await nextSample(page);
    expect(sockets.map((socket) => socket.isClosed())).toEqual([true, false]);
  });

  longTest("while paused, the screen does not change and says how old it is; after Resume, it is current", async () => {
    const { page } = await live();
    await page.getByRole("button", { name: "Pause" }).click();
    const before = await row(page, "zeta").textContent();
    await page.getByText(/Paused, [2-9] s behind/).waitFor();
    await expect.poll(() => row(page, "zeta").textContent()).toBe(before);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText(/Paused/).waitFor({ state: "detached" });
    await expect.poll(() => row(page, "zeta").textContent()).not.toBe(before);
  });
});

describe.skipIf(!hasBrowser)("the table", () => {
  longTest("sorts, filters, and keeps its order while it has the focus", async () => {
    const { page } = await live();
    await page.mouse.move(0, 0);
    for (const order of [
      ["api", "worker", "zeta"],
      ["zeta", "worker", "api"],
    ]) {
      await page.getByRole("button", { name: "Name" }).click();
      await expect.poll(() => names(page)).toEqual(order);
    }
    await expect
      .poll(() => page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort"))
      .toBe("descending");
    await page.keyboard.press("/");
    await page.keyboard.type("BATCH");
    await expect.poll(() => names(page)).toEqual(["worker"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "CPU", exact: true }).click();
    await page.getByRole("button", { name: "worker", exact: false }).first().focus();
    const held = await names(page);
    await nextSample(page, 2);
    await expect.poll(() => names(page)).toEqual(held);
    await page.getByRole("radio", { name: /Online/ }).check();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
  });

  longTest("stops and starts a process; the title counts errored processes", async () => {
    const { page } = await live();
    await page.getByRole("button", { name: "Stop worker" }).click();
    await page.getByText("worker stopped.").waitFor();
    await row(page, "worker").locator(".status.stopped").waitFor();
    await expect.poll(() => row(page, "worker").locator("td.number").first().textContent()).toBe("–");
    await page.getByRole("button", { name: "Start worker", exact: true }).click();
    await page.getByText(/^worker started \(pid \d+\)\.$/).waitFor();
    await expect.poll(() => page.title()).toBe(titleOf("(1) Monitoring"));
  });

  longTest("a start shows its warnings until they are dismissed", async () => {
    const app = `{ name: "lister", script: "${real.home}/app-1.cjs", env: { REGION: process.env.NO_SUCH_VARIABLE } }`;
    writeFileSync(`${real.folder}/pm2/ecosystem.production.config.cjs`, `module.exports = { apps: [${app}] };`);
    const { page } = await live();
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("production");
    await page.getByRole("button", { name: "Start lister" }).click();
    const toast = page.locator(".toast.error");
    await toast.waitFor();
    await expect.poll(() => toast.textContent()).toContain("REGION has no value in the environment");
    const link = real.link();
    const started = (await link.list()).find(({ name }) => name === "lister");
    await link.remove(started!);
  });

  longTest("an action that fails shows the service's message until it is dismissed", async () => {
    const { page } = await live();
    await page.getByRole("button", { name: "Start mailer" }).click();
    const toast = page.locator(".toast.error");
    await toast.waitFor();
    await expect.poll(() => toast.textContent()).toMatch(/Code [A-Z_]+/);
    await page.getByRole("button", { name: "Start mailer" }).click();
    await toast.getByText("2 times").waitFor();
    await toast.getByRole("button", { name: "Dismiss" }).click();
    await toast.waitFor({ state: "detached" });
  });

  longTest("an action that needs the token asks for it, and then runs", async () => {
    const token = "a-token-of-sixteen-and-more";
    const { page, requests, sockets } = await live({
      mayFail: true,
      env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token },
    });
    await page.getByRole("button", { name: "Restart worker" }).click();
    const entry = page.getByRole("dialog", { name: /^Enter the access token of / });
    await expect.poll(() => axe(page)).toEqual([]);
    await entry.getByLabel("Token").fill("a-wrong-token-of-sixteen");
    await page.keyboard.press("Enter");
    await entry.getByText("The server refused that token.").waitFor();
    await entry.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByText(/^worker restarted/).waitFor();
    const urls = [...[...requests, ...sockets].map((source) => source.url()), page.url()].join("\n");
    expect(urls).not.toContain(token);
    await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).not.toContain(token);
  });
});

longTest.skipIf(!hasBrowser)("if reads need the token, the page asks once, when it opens", async () => {
  const token = "a-token-of-sixteen-and-more";
  const { port } = await start({ host: "0.0.0.0", env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
  const url = `http://127.0.0.1:${port}`;
  const { page } = await openConsole(browser, url, { mayFail: true, beginsWith: "dialog" });
  await expect.poll(() => axe(page)).toEqual([]);
  await page.getByLabel("Token", { exact: true }).fill("a-wrong-token-of-sixteen");
  await page.keyboard.press("Enter");
  await page.getByText("The server refused that token.").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.keyboard.press("Enter");
  await row(page, "zeta").waitFor();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("link", { name: "Activity" }).click();
  await page.locator(".activity-rows, .empty").waitFor();
});

describe.skipIf(!hasBrowser)("a lost server or PM2", () => {
  longTest("without the server, the values are marked as old until it is available again", async () => {
    const { page, server } = await live({ mayFail: true, repository: repository() });
    await server.close();
    await page.getByText("No connection to the server.").waitFor();
    await page.getByText("old values ·").waitFor();
    await page.locator(".server.offline").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Stop zeta" }).isDisabled()).toBe(true);
    await expect.poll(() => axe(page)).toEqual([]);
    await expect.poll(() => names(page)).toEqual(["api", "worker", "zeta"]);
    await start({ port: server.port, repository: server.repository });
    await page.getByText("No connection to the server.").waitFor({ state: "detached" });
    await page.locator(".server.online").waitFor();
    await nextSample(page);
    await expect.poll(() => page.locator(".old").count()).toBe(0);
  });

  longTest("without PM2, the host keeps updating, the error is shown unchanged, and no process is listed", async () => {
    const own = pm2();
    try {
      const daemon = await own.startDaemon();
      await own.run({ name: "only" });
      const { page, sockets } = await openOver(own.home);
      await row(page, "only").waitFor();
      const sent = sockets[0]?.waitForEvent("framereceived", ({ payload }) =>
        String(payload).includes('"type":"error"'),
      );
      await daemon.signal("SIGKILL");
      const { code, details } = JSON.parse(String((await sent)?.payload));
      const words = page.locator(".processes .status-line.error");
      await words.waitFor();
      await expect.poll(async () => (await words.textContent())?.split(details)).toHaveLength(2);
      await expect.poll(() => words.textContent()).toContain(code);
      await page.getByText("The processes of PM2 cannot be read").waitFor();
      await expect.poll(() => page.locator("tbody tr").count()).toBe(0);
      await expect.poll(() => page.title()).toMatch(/^\(\d*\?\) Monitoring/);
      await expect
        .poll(() => page.getByRole("region", { name: "Memory", exact: true }).locator(".now").textContent())
        .toMatch(/\d/);
      await expect.poll(() => page.locator("link[rel=icon]").getAttribute("href")).toContain("icon-error");
    } finally {
      await own.end();
    }
  });
});

async function openOver(home: string) {
  const server = await start({ env: { PM2_HOME: home } });
  return openConsole(browser, server.url, { mayFail: true });
}
