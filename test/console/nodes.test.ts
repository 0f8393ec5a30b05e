/// <reference lib="dom" />
/** The nodes of a fleet in one console, over a real NATS server and a real PM2. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditList } from "../../src/core/index.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { fleetWorld, type FleetWorld } from "./fleet-page.ts";
import { row } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser || !hasNats)("the console of a fleet (needs nats-server)", () => {
  const real = pm2();
  let world: FleetWorld;

  beforeAll(async () => {
    await real.run({ name: "api" });
    world = await fleetWorld(real, afterAll);
  });
  afterAll(() => real.end());

  test("an action on another node asks for its consent there and leaves a record with both names", async () => {
    const server = await world.server();
    const { page, button } = await openConsole(browser, server.url, { tab: "monitoring?node=web-1" });
    await row(page, "api").waitFor();
    await button("Restart api").click();
    await page.locator(".toast.success").getByText("api restarted").waitFor();
    const adam = await world.fleet.as("adam");
    const { records } = await adam.ask("web-1", auditList, { limit: 1 }, 10_000);
    expect(records[0]).toMatchObject({
      action: "process.restart",
      source: "nats",
      actor: "anonymous via edda",
      outcome: "succeeded",
    });
  });
});
