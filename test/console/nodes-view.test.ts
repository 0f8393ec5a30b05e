/// <reference lib="dom" />
/** Accessibility of the view of all nodes: width, touch, keyboard, forced colours and accessible names. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { axe, expectAccessibleInEveryLook } from "./accessibility.ts";
import { fleetWorld, type FleetWorld } from "./fleet-page.ts";
import { focused, press } from "./keyboard.ts";
import { openConsole, type ConsoleOptions } from "./open-console.ts";
import { tooSmall } from "./too-small.ts";
import { atAllWidths } from "./widths.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser || !hasNats)("the view of all nodes (needs nats-server)", () => {
  const whenOver = whenTestsOver();
  const real = pm2();
  let world: FleetWorld;

  beforeAll(async () => {
    await real.run({ name: "api" });
    world = await fleetWorld(real, whenOver);
  });
  afterAll(() => real.end());

  async function opened(options: ConsoleOptions = {}) {
    const open = await openConsole(browser, (await world.server()).url, { tab: "nodes", ...options });
    await open.page.getByRole("row", { name: /^web-1.*Online/ }).waitFor();
    return open;
  }

  longTest("and the views of a single node fit at every width", async () => {
    const { page, url } = await opened();
    const found = (await atAllWidths(page)).map((words) => `nodes ${words}`);
    for (const tab of ["monitoring", "environment", "activity", "plan", "pm2"]) {
      await page.goto(`${url}/#/${tab}?node=web-1`);
      await page.locator(`.panel.${tab} h1`).waitFor();
      found.push(...(await atAllWidths(page)).map((words) => `${tab} ${words}`));
    }
    expect(found).toEqual([]);
  });

  longTest("names the node that is open on a phone", async () => {
    const { page } = await opened({ tab: "nodes", isPhone: true });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const { width: room } = (await page.locator(".switch select").boundingBox()) ?? { width: 0 };
      expect(room).toBeGreaterThanOrEqual(80);
    }
  });

  longTest("gives the reasons of a node the full width of the table", async () => {
    const { page } = await opened();
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [reason, table] = await Promise.all([
        page.locator(".nodes .why").first().boundingBox(),
        page.getByRole("table", { name: "Nodes" }).boundingBox(),
      ]);
      expect((reason?.width ?? 0) / (table?.width ?? 1)).toBeGreaterThan(0.85);
    }
  });

  longTest("is accessible in every theme and in forced colours", async () => {
    const open = await opened();
    await expectAccessibleInEveryLook(open);
    await open.page.emulateMedia({ forcedColors: "active" });
    const [ground, dot] = await open.page.evaluate(() =>
      ["body", ".nodes .dot"].map((part) => getComputedStyle(document.querySelector(part)!).backgroundColor),
    );
    expect(dot).not.toBe(ground);
    expect(await axe(open.page)).toEqual([]);
  });

  longTest.each([
    ["44 pixels with a finger", true, 44],
    ["24 pixels with a pointer", false, 24],
  ] as const)("has controls of at least %s", async (_name, isTouch, least) => {
    const { page } = await opened({ isPhone: isTouch, isTouch });
    expect(await tooSmall(page, least)).toEqual([]);
  });

  longTest("works by keyboard alone: to the filter, to a node, into its console and back", async () => {
    const { page } = await opened();
    await page.keyboard.press("/");
    await page.keyboard.type("role=web web-1");
    await expect.poll(() => nodesIn(page)).toEqual(["web-1"]);
    await press(page, "Tab");
    await expect.poll(() => focused(page)).toContain("web-1");
    await press(page, "Enter");
    await page.getByRole("button", { name: "api" }).first().waitFor();
    expect(await page.locator(".switch select").inputValue()).toBe("web-1");
    await page.goBack();
    await expect.poll(() => nodesIn(page)).toEqual(["web-1"]);
  });

  longTest("at 400 % scrolls its bars with the page and cuts nothing off", async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 320, height: 256 });
    for (const bar of [".top", ".tabs"]) {
      await expect
        .poll(() => page.locator(bar).evaluate((element) => getComputedStyle(element).position))
        .toBe("static");
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  longTest("is a table with names and states in the accessibility tree", async () => {
    const { page } = await opened();
    const table = page.getByRole("table", { name: "Nodes" });
    await expect.poll(() => table.getAttribute("aria-rowcount")).toBe("4");
    const tree = await table.ariaSnapshot();
    expect(tree).toContain("rowheader");
    for (const words of [
      'columnheader "Node"',
      'columnheader "State"',
      'link "db-1"',
      'cell "Away"',
      'link "web-1"',
      'cell "Online"',
      'cell "1 of 1"',
    ])
      expect(tree).toContain(words);
  });
});

function nodesIn(page: Page): Promise<string[]> {
  return page.locator("tbody .node-name").allTextContents();
}
