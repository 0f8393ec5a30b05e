/// <reference lib="dom" />
/** The labels of buttons while an action runs, and the messages about connection and server. */
import { describe, expect, test } from "vitest";
import { hasBrowser, switchboard, useBrowser } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { flat } from "./environment-page.ts";
import { handMonitoring, keepGiving } from "./hand-monitoring.ts";
import { openConsole, type Browser, type ConsoleOptions } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
/** Longer than an interruption that is reported, and shorter than a first connection that is called lost. */
const SLOW_MS = 3_000;

/** Monitoring with a server that never answers an action. */
async function unanswered(from: Browser) {
  const open = await handMonitoring(from, {
    prepare: (page) =>
      page.routeWebSocket(/pm2-ws/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((message) => {
          if (!String(message).includes('"type":"action"')) server.send(message);
        });
      }),
  });
  await open.telemetry.watchers(1);
  return open;
}

describe.skipIf(!hasBrowser)("the buttons of a process", () => {
  longTest.each([
    ["Start", "stopped", "Starting…"],
    ["Stop", "online", "Stopping…"],
    ["Restart", "online", "Restarting…"],
  ])("%s shows its progress while its action runs, and the others are disabled", async (name, status, busy) => {
    const { page, give } = await unanswered(browser);
    give([{ name: "api", status }]);
    await page.getByRole("button", { name: "api" }).first().click();
    const actions = page.getByRole("region", { name: "Why of api" }).locator(".process-actions");
    await actions.getByRole("button", { name, exact: true }).click();
    await actions.getByRole("button", { name: busy, exact: true }).waitFor();
    await expect.poll(() => actions.getAttribute("aria-busy")).toBe("true");
    await expect.poll(() => actions.getByRole("button", { disabled: false }).count()).toBe(0);
    await page.keyboard.press("Escape");
    const inRow = page.getByRole("button", { name: `${name} api`, exact: true });
    expect([await inRow.textContent(), await inRow.getAttribute("aria-description")]).toEqual(["…", busy]);
  });

  longTest("Start of a declared app says Starting… while it runs", async () => {
    const { page, give } = await unanswered(browser);
    give([{ name: "api" }], { missingExpected: ["mailer"] });
    const start = page.getByRole("button", { name: "Start mailer" });
    await start.click();
    await start.getByText("Starting…").waitFor();
    await expect.poll(() => start.getAttribute("aria-disabled")).toBe("true");
  });

  longTest("the restart that applies drift says Restarting… while it runs", async () => {
    const { page, give } = await unanswered(browser);
    const drift = { name: "api", field: "env", key: "MODE", state: "absent", declared: null, running: null } as const;
    give([{ name: "api" }], { drift: [{ ...drift, pmIds: [0] }] });
    await page.getByRole("button", { name: "api" }).first().click();
    const part = page.getByRole("region", { name: "Drift from the ecosystem file" });
    await part.getByRole("button", { name: "Restart with the ecosystem file" }).click();
    const busy = part.getByRole("button", { name: "Restarting…" });
    await busy.waitFor();
    await expect.poll(() => busy.isDisabled()).toBe(true);
  });
});

describe.skipIf(!hasBrowser)("a message names the event and the next step", () => {
  async function twoServers(options: ConsoleOptions = {}) {
    const env = { PM2_HOME: temporaryFolder() };
    const [first, second] = [await testServer({ env }), await testServer({ env })];
    const forwarder = await switchboard();
    forwarder.pointTo(first.port);
    const url = `http://127.0.0.1:${forwarder.port}`;
    const opened = await openConsole(browser, url, { mayFail: true, ...options });
    return { ...opened, first, host: `127.0.0.1:${forwarder.port}`, redirect: () => forwarder.pointTo(second.port) };
  }

  longTest("another server at this address: names both servers, and says that nothing is sent", async () => {
    const { page, first, host, redirect, button } = await twoServers({ tab: "activity" });
    redirect();
    // If the page has noticed it first, it has no such button.
    await button("Refresh").evaluateAll((found) => found.forEach((one) => (one as HTMLButtonElement).click()));
    await page.getByRole("heading", { name: "Another server answers at this address" }).waitFor();
    expect(flat(await page.locator("#panel p").innerText())).toBe(
      `This page was opened on the server of ${first.repository.root}. A different server answers at ${host} now. ` +
        "The page sends it nothing: no token, no document, no change.",
    );
    await expect
      .poll(() => page.locator("#panel button").allTextContents())
      .toEqual(["Check again", "Open the console of this server"]);
  });

  test("the document of another server: it stays saved, and this server starts with a copy or an empty document", async () => {
    const { page, host, redirect } = await twoServers({
      tab: "targets",
      stored: { "service-management.v1": '{"version":"service-management.v1"}' },
    });
    await page.getByText("No deploy targets yet").waitFor();
    redirect();
    await page.reload();
    await page.getByRole("heading", { name: "This browser holds the document of another server" }).waitFor();
    expect(flat(await page.locator("#panel p").innerText())).toBe(
      `The service configuration, deploy targets and interfaces that are saved for ${host} belong to another server. ` +
        "They stay saved for that server. Choose the document that this server starts with.",
    );
    await expect
      .poll(() => page.locator("#panel button").allTextContents())
      .toEqual(["A copy of that document", "An empty document"]);
  });

  longTest(
    "a lost connection: the time of the last values, and that the page reconnects by itself or on request",
    async () => {
      const { page, server, give, telemetry } = await handMonitoring(browser, { mayFail: true });
      await telemetry.watchers(1);
      give([{ name: "api" }]);
      await page.locator("tbody tr").first().waitFor();
      await server.close();
      const banner = page.locator(".connection-banner .status-line.error");
      await banner.waitFor();
      await expect
        .poll(() => banner.locator(".status-text").textContent())
        .toMatch(/^No connection to the server\. The values are from \d\d:\d\d:\d\d\. Reconnecting\.$/);
      await expect.poll(() => banner.getByRole("button").allTextContents()).toEqual(["Try now"]);
    },
  );

  longTest("a first connection over a slow network is not called lost", async () => {
    const { page, give, telemetry } = await handMonitoring(browser, {
      prepare: async (first) => {
        await first.addInitScript(() => {
          const seen: string[] = [];
          Object.assign(window, { seen });
          new MutationObserver(() => void seen.push(document.title)).observe(document, {
            subtree: true,
            childList: true,
            characterData: true,
          });
        });
        await first.routeWebSocket(/pm2-ws/, (socket) => {
          const server = socket.connectToServer();
          server.onMessage((message) => void setTimeout(() => socket.send(message), SLOW_MS));
        });
      },
    });
    await telemetry.watchers(1);
    keepGiving(() => give([{ name: "api", status: "errored" }]));
    await page.locator("tbody tr").first().waitFor();
    const titles = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    expect(titles.some((title) => title.startsWith("(1) "))).toBe(true);
    expect(titles.filter((title) => title.includes("?"))).toEqual([]);
  });
});
