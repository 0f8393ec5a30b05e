/// <reference lib="dom" />
/** A real server that is stopped and started again on its port, tab by tab. */
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { post, repository, testServer, type Repository, type TestServer } from "../server/support.ts";
import { expectAccessible } from "./accessibility.ts";
import { openConsole, type ConsoleOptions, type OpenedConsole, titleOf } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };
const UNREACHED = "The server cannot be reached.";

interface Cut extends OpenedConsole {
  readonly server: TestServer;
  readonly files: Repository;
  stop(): Promise<void>;
  /** Starts another server on the same port and with the same files. */
  again(): Promise<TestServer>;
  state(words: "Connected" | "Disconnected"): Promise<void>;
}

async function open(tab: string, options: ConsoleOptions = {}): Promise<Cut> {
  const files = repository();
  const server = await testServer({ ...noPm2, repository: files });
  const opened = await openConsole(browser, server.url, { tab, mayFail: true, ...options });
  const state = (words: string): Promise<void> =>
    opened.page.locator(".top").getByText(words, { exact: true }).waitFor();
  await state("Connected");
  return {
    ...opened,
    server,
    files,
    state,
    stop: () => server.close(),
    again: () => testServer({ ...noPm2, repository: files, port: server.port }),
  };
}

describe.skipIf(!hasBrowser)("a server that stops and starts again", () => {
  longTest(
    "the environment: a save, a read and a comparison fail in place, and the edit can be saved later",
    async () => {
      const { page, field, button, ...cut } = await open("environment");
      await field("HTTP framework").selectOption("restify");
      await field("WebSocket Redis URL").fill("redis://typed");
      await cut.stop();
      await button("Save").click();
      await page.locator(".save-bar .problem", { hasText: UNREACHED }).waitFor();
      await cut.state("Disconnected");
      await field("Compare dev with").selectOption("ci");
      const comparison = page.getByRole("region", { name: "Compare" });
      await comparison.getByText(UNREACHED).waitFor();
      await button("Read the file again").click();
      await page.locator("#panel > .status-region").getByText(UNREACHED).waitFor();
      await expectAccessible({ page });
      await expect.poll(() => field("HTTP framework").inputValue()).toBe("restify");
      await expect.poll(() => field("WebSocket Redis URL").inputValue()).toBe("redis://typed");
      const server = await cut.again();
      await comparison.getByRole("button", { name: "Try again" }).click();
      await page.getByLabel("Differences between dev and ci").waitFor();
      await cut.state("Connected");
      await button("Try again").click();
      await page.locator("#panel > .status-region .problem").waitFor({ state: "detached" });
      await expect.poll(() => field("HTTP framework").inputValue()).toBe("restify");
      await button("Save").click();
      await page.getByText("Saved 2 keys to .env.dev.").waitFor();
      expect(server.text()).toMatch(/SVC_HTTP_FRAMEWORK=restify[\s\S]*SVC_WEBSOCKET_REDIS_URL=redis:\/\/typed/);
    },
  );

  longTest("the check of the environment file is requested again after a failure", async () => {
    const { page, button, ...cut } = await open("environment", {
      prepare: (first) => first.route("**/env/check?*", (route) => route.abort("connectionrefused"), { times: 1 }),
    });
    const check = page.getByRole("region", { name: "Check of .env.dev" });
    await check.getByText(UNREACHED).waitFor();
    await button("Try again").click();
    await check.getByText("The file follows the runtime contract.").waitFor();
    await cut.state("Connected");
    await expect.poll(() => page.getByText(UNREACHED).count()).toBe(0);
  });

  longTest("the PM2 preview: the choice is kept, and shown once it can be read", async () => {
    const { page, field, button, ...cut } = await open("pm2");
    await page.getByText("No ecosystem for dev.").waitFor();
    await cut.stop();
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
    await page.locator("#panel .problem", { hasText: UNREACHED }).waitFor();
    await cut.state("Disconnected");
    await expect.poll(() => page.getByText("No ecosystem for").count()).toBe(0);
    await cut.again();
    await button("Try again").click();
    await page.getByText("No ecosystem for staging.").waitFor();
    await cut.state("Connected");
    await expect.poll(() => page.locator("#panel .problem").count()).toBe(0);
    await expect.poll(() => field("Service kind").count()).toBe(0);
  });

  longTest("the audit keeps its records and its filter", async () => {
    const { page, button, ...cut } = await open("activity");
    await page.getByText("Nothing has happened in the last 7 days").waitFor();
    await post(cut.server, { values: { SVC_HTTP_FRAMEWORK: "restify" } });
    await button("Refresh").click();
    await page.locator("tbody tr:not(.day)").waitFor();
    await page.getByRole("searchbox").fill("framework");
    await cut.stop();
    await button("Refresh").click();
    await page.locator("#panel .problem", { hasText: UNREACHED }).waitFor();
    await cut.state("Disconnected");
    await expect.poll(() => page.locator("tbody tr:not(.day)").count()).toBe(1);
    const server = await cut.again();
    await post(server, { values: { SVC_HTTP_FRAMEWORK: "express" } });
    await button("Refresh").click();
    await page.locator("tbody tr:not(.day)").nth(1).waitFor();
    await cut.state("Connected");
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("framework");
    await expect.poll(() => page.locator("#panel .problem").count()).toBe(0);
  });

  longTest("the document works without the server: service, targets, interfaces, export and import", async () => {
    const { page, field, button, tab, ...cut } = await open("service");
    await field("REST port").fill("3000");
    await cut.stop();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await cut.state("Disconnected");
    await expect.poll(() => field("REST port").inputValue()).toBe("3000");
    await button("Save configuration").click();
    await page.getByText("Saved the service configuration.").waitFor();
    await tab("Deploy targets").click();
    await field("Name").fill("eu");
    await field("Runtime").fill("node22");
    await button("Add Target").click();
    await page.locator("ul.entries > li").waitFor();
    await field("Name").fill("half typed");
    await tab("Interfaces").click();
    await field("Framework").selectOption("express");
    await field("Entrypoint").fill("src/interface/HTTP/start.ts");
    await field("Controller").fill("ItemController.list");
    await button("Add Interface").click();
    await tab("Export").click();
    const text = await page.getByLabel("Content of service-management.json").innerText();
    expect(JSON.parse(text)).toMatchObject({
      serviceConfiguration: { ports: { rest: 3000 } },
      deployments: [{ name: "eu" }],
      interfaces: [{ controller: "ItemController.list" }],
    });
    await field("Document").fill('{"deployments": []}');
    await button("Import").click();
    await page.getByText(/^Imported 0 deploy targets/).waitFor();
    await cut.again();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await cut.state("Connected");
    await tab("Deploy targets").click();
    await expect.poll(() => field("Name").inputValue()).toBe("half typed");
  });

  longTest("monitoring keeps its selections and its filter, the banner disappears, and values return", async () => {
    const { page, ...cut } = await open("monitoring");
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    await page.getByRole("searchbox").fill("typed");
    await page.getByRole("radio", { name: "15m" }).check();
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
    await cut.stop();
    await page.getByText("No connection to the server.").waitFor();
    await cut.state("Disconnected");
    await expect.poll(() => page.title()).toBe(titleOf("(?) Monitoring", "staging"));
    await expectAccessible({ page });
    await cut.again();
    await page.getByText("No connection to the server.").waitFor({ state: "detached" });
    await page.locator(".old").waitFor({ state: "detached" });
    await cut.state("Connected");
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("typed");
    await expect.poll(() => page.getByRole("radio", { name: "15m" }).isChecked()).toBe(true);
    await expect
      .poll(() => page.getByRole("combobox", { name: "Environment", exact: true }).inputValue())
      .toBe("staging");
  });

  longTest("the page reconnects by itself when the server is back", async () => {
    const { page, sockets, ...cut } = await open("monitoring");
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    await cut.stop();
    await cut.state("Disconnected");
    await cut.again();
    await cut.state("Connected");
    await page.locator(".monitoring-values:not(.old)").waitFor();
    expect(sockets.map((socket) => socket.isClosed()).lastIndexOf(false)).toBe(sockets.length - 1);
  });

  longTest("if facts cannot be read, the server's message is shown in place of a tab, with a retry", async () => {
    const server = await testServer(noPm2);
    const { page, button } = await openConsole(browser, server.url, {
      mayFail: true,
      beginsWith: "main .problem",
      prepare: (first) =>
        first.route("**/api/runtime/contract", (route) => route.abort("connectionrefused"), { times: 1 }),
    });
    await page.getByText(UNREACHED).waitFor();
    await expectAccessible({ page });
    await button("Try again").click();
    await page.getByRole("heading", { level: 1, name: "Monitoring" }).waitFor();
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    await expect.poll(() => page.getByText(UNREACHED).count()).toBe(0);
  });
});
