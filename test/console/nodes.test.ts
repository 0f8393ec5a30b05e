/// <reference lib="dom" />
/** The nodes of a fleet in one console, with a real NATS server and a real PM2. */
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { auditList } from "../../src/core/index.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { axe } from "./accessibility.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { fleetWorld, type FleetWorld } from "./fleet-page.ts";
import { quietApp } from "../support/quiet-app.ts";
import { row } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

/** Without a token, the console only reads other nodes. */
const TOKEN = "a-token-of-a-test-1234567890";

describe.skipIf(!hasBrowser || !hasNats)("the console of a fleet (needs nats-server)", () => {
  const whenOver = whenTestsOver();
  const real = pm2();
  let world: FleetWorld;

  beforeAll(async () => {
    await real.run({ name: "api" });
    await quietApp(real, "talker", "the first line\nthe last line\n");
    world = await fleetWorld(real, whenOver);
  });
  afterAll(() => real.end());

  longTest("an action on another node asks for confirmation and leaves a record with both names", async () => {
    const server = await world.server("edda", { env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
    const { page, button, field } = await openConsole(browser, server.url, {
      tab: "monitoring?node=web-1",
      mayFail: true,
    });
    await row(page, "api").waitFor();
    await button("Restart api").click();
    await field("Token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.locator(".toast.success").getByText("api restarted").waitFor();
    const adam = await world.fleet.as("adam");
    const { records } = await adam.ask("web-1", auditList, { limit: 1 }, 10_000);
    expect(records[0]).toMatchObject({
      action: "process.restart",
      source: "nats",
      actor: expect.stringMatching(/^(?!anonymous).+ via edda$/) as string,
      outcome: "succeeded",
    });
  });

  longTest("the log of an app on another node is shown in this console", async () => {
    const server = await world.server();
    const { page } = await openConsole(browser, server.url, { tab: "monitoring?node=web-1" });
    await row(page, "talker").getByRole("button", { name: "talker" }).first().click();
    await page.getByRole("link", { name: "Open the log" }).click();
    const log = page.getByRole("log", { name: "Log of talker" });
    await expect.poll(() => log.textContent()).toContain("the last line");
  });

  longTest("stopping an app in production on another node asks for the name of the environment", async () => {
    const production = await fleetWorld(real, onTestFinished, "production");
    const server = await production.server("edda", { env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
    const { page, button, field } = await openConsole(browser, server.url, {
      tab: "monitoring?node=web-1",
      mayFail: true,
    });
    await page.locator("header.production").waitFor();
    await button("Stop api").click();
    const dialog = page.getByRole("dialog", { name: "Stop api in production?" });
    const stop = dialog.getByRole("button", { name: "Stop" });
    await field("Type production").fill("api");
    await expect.poll(() => stop.isDisabled()).toBe(true);
    await field("Type production").fill("production");
    await stop.click();
    await field("Token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.locator(".toast.success").getByText("api stopped").waitFor();
    await button("Start api").click();
    await page.locator(".toast.success").getByText("api started").waitFor();
  });

  longTest(
    "the activity of all nodes names the node of each event, and the nodes whose events are missing",
    async () => {
      const server = await world.server();
      const { page, tab } = await openConsole(browser, server.url, { tab: "activity" });
      await page.getByRole("checkbox", { name: "All nodes" }).check();
      const table = page.getByRole("table", { name: "Activity" });
      await table.getByRole("columnheader", { name: "Node" }).waitFor();
      const events = table.locator("tbody tr.event");
      await events.filter({ hasText: "talker" }).first().waitFor();
      expect(new Set(await events.locator("td[data-name=Node]").allTextContents())).toEqual(new Set(["web-1"]));
      await page.getByText("db-1 (away)").waitFor();
      expect(await axe(page)).toEqual([]);
      await page.reload();
      await page.getByRole("checkbox", { name: "All nodes", checked: true }).waitFor();
      await events.first().getByRole("link", { name: "web-1" }).click();
      await page.getByRole("link", { name: "Log around it" }).first().waitFor();
      expect(await page.getByRole("checkbox", { name: "All nodes" }).count()).toBe(0);
      await tab("Monitoring").waitFor();
    },
  );
});
