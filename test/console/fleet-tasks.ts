/** Everyday tasks on several machines, from opening the page to the result. */
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { pm2 } from "../support/pm2-daemon.ts";
import { fleetWorld } from "./fleet-page.ts";
import { row } from "./monitoring-page.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { counted, longTask } from "./task.ts";

export function fleetTasks(browser: Browser): void {
  const real = pm2();
  beforeAll(() => real.run({ name: "shop" }));
  afterAll(() => real.end());

  longTask("see all nodes and look into one", { clicks: 2, first: "impossible" }, async () => {
    const server = await (await fleetWorld(real, onTestFinished)).server();
    const { page, tab } = await openConsole(browser, server.url);
    const clicks = await counted(page);
    await tab("Nodes").click();
    await page.getByRole("row", { name: /^web-1.*Online/ }).waitFor();
    expect(await page.locator("tbody .node-name").allTextContents()).toEqual(["db-1", "web-2", "web-1"]);
    await page.getByRole("link", { name: "web-1" }).click();
    await row(page, "shop").waitFor();
    expect(new URL(page.url()).hash).toBe("#/monitoring?node=web-1&environment=dev");
    return clicks;
  });
}
