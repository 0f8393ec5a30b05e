/** Everyday tasks on several machines, from opening the page to the result. */
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { pm2 } from "../support/pm2-daemon.ts";
import { fleetWorld } from "./fleet-page.ts";
import { row } from "./monitoring-page.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { counted, inEveryWay } from "./task.ts";

export function fleetTasks(browser: Browser): void {
  const { longTask } = inEveryWay;
  const real = pm2();
  beforeAll(() => real.run({ name: "shop" }));
  afterAll(() => real.end());

  longTask("see all nodes and look into one", { clicks: 2, touches: 3, first: "impossible" }, async (by) => {
    const server = await (await fleetWorld(real, onTestFinished)).server();
    const { page } = await openConsole(browser, server.url, by.look);
    const clicks = await counted(page);
    await by.visit(page, "nodes");
    await page.getByRole("row", { name: /^web-1.*Online/ }).waitFor();
    expect(await page.locator("tbody .node-name").allTextContents()).toEqual(["db-1", "web-2", "web-1"]);
    await by.press(page.getByRole("link", { name: "web-1" }));
    await row(page, "shop").waitFor();
    expect(new URL(page.url()).hash).toBe("#/monitoring?node=web-1&environment=dev");
    return clicks;
  });
}
