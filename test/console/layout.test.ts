/// <reference lib="dom" />
/** Every tab at every width, with a larger font, and in forced colours: no content is cut off. */
import { chromium, type Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { tabIds } from "../../src/console/state/address.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { axe } from "./accessibility.ts";
import { handMonitoring, metricsOf, type Made } from "./hand-monitoring.ts";
import { openConsole, type Browser } from "./open-console.ts";
import { atAllWidths, drawn } from "./widths.ts";
import { testServer } from "../server/support.ts";
import { a, b, lambda, suiteOf } from "./stored-targets.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const browser = useBrowser();
const TABS = tabIds.filter((id) => id !== "monitoring");
const processes: readonly Made[] = [
  { name: "shop-restapi", status: "online", execMode: "cluster" },
  { name: "a-name-of-many-letters-".repeat(4).slice(0, 81), status: "online" },
  { name: "consumer", problem: { code: "PROCESS_CRASH_LOOP", details: "It ended by itself." }, restartCount: 1234 },
  { name: "gone", status: "errored", pid: null, memoryBytes: null },
];

async function monitored(from: Browser) {
  const open = await handMonitoring(from);
  await open.telemetry.watchers(1);
  open.give(processes, { missingExpected: ["mailer"] });
  await open.page.locator("tbody tr").nth(3).waitFor();
  await open.page.getByRole("button", { name: "shop-restapi" }).first().click();
  await open.page.getByRole("link", { name: "Open the log" }).waitFor();
  return open;
}

/** Beside the panel, the list has less room, and the charts of the host are hidden. */
async function closePanel(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("#process").waitFor({ state: "detached" });
}

async function largeFont(): Promise<Browser> {
  const args = [...chromiumArguments, "--blink-settings=defaultFontSize=24"];
  const launched = await chromium.launch({ ...(await findChromium()), args });
  onTestFinished(() => launched.close());
  return () => launched;
}

describe.skipIf(!hasBrowser)("at every width", () => {
  longTest("monitoring with everything expanded", async () => {
    const { page } = await monitored(browser);
    expect(await atAllWidths(page)).toEqual([]);
  });

  longTest("the widest window is used completely", async () => {
    const { page } = await monitored(browser);
    await closePanel(page);
    await page.setViewportSize({ width: 2560, height: 900 });
    await drawn(page);
    const { x, width } = (await page.locator(".processes table").first().boundingBox())!;
    expect(x + width).toBeGreaterThan(2560 * 0.97);
  });

  longTest("the load of a machine with many cores stays on one line", async () => {
    const { page, telemetry } = await monitored(browser);
    await closePanel(page);
    const made = metricsOf(Date.now() + 60_000, processes);
    const { host } = made.payload;
    const loadAvg = { one: 9.99, five: 9.99, fifteen: 9.99 };
    const cpu = {
      ...host.cpu,
      usagePercent: 100,
      coreCount: 64,
      perCore: Array.from({ length: 64 }, () => 50),
      loadAvg,
    };
    telemetry.give({ ...made, payload: { ...made.payload, host: { ...host, cpu } } });
    await page.getByRole("button", { name: "64 cores" }).waitFor();
    const load = page.getByText("load 9.99 9.99 9.99", { exact: true });
    for (const width of [390, 960, 1150, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(async () => (await load.boundingBox())?.height).toBeLessThan(24);
    }
  });

  longTest("monitoring, with a browser font of 24 pixels", async () => {
    const { page } = await monitored(await largeFont());
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("24px");
    expect(await atAllWidths(page)).toEqual([]);
  });

  const fonts = [
    ["with a browser font of 24 pixels", largeFont],
    ["as it is", () => Promise.resolve(browser)],
  ] as const;
  longTest.each(firstOrAll(fonts))("the other tabs, %s", async (_name, launch) => {
    const server = await testServer();
    const { page } = await openConsole(await launch(), server.url, {
      tab: "environment",
      stored: { "service-management.v1": JSON.stringify(suiteOf(a, b, lambda)) },
    });
    const found: string[] = [];
    for (const tab of TABS) {
      await page.goto(`${server.url}/#/${tab}`);
      await page.locator(`.panel.${tab} h1`).waitFor();
      found.push(...(await atAllWidths(page)).map((words) => `${tab} ${words}`));
    }
    expect(found).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("in forced colours", () => {
  longTest("the open tab, each selected segment and the icons of states are distinguishable", async () => {
    const { page } = await monitored(browser);
    await page.emulateMedia({ forcedColors: "active" });
    const look = (selector: string, ...parts: string[]): Promise<string[]> =>
      page
        .locator(selector)
        .first()
        .evaluate((element, names) => {
          const style = getComputedStyle(element);
          return names.map((name) => style.getPropertyValue(name));
        }, parts);
    for (const [chosen, other] of [
      [".segmented label.chosen", ".segmented label:not(.chosen)"],
      [".chips label.chosen", ".chips label:not(.chosen)"],
    ] as const) {
      await expect
        .poll(() => look(chosen, "background-color", "color"))
        .not.toEqual(await look(other, "background-color", "color"));
    }
    await expect.poll(() => look("nav li a[aria-current]", "outline-style")).toEqual(["solid"]);
    await expect.poll(() => look("nav li a:not([aria-current])", "outline-style")).toEqual(["none"]);
    const [ground] = await look("body", "background-color");
    for (const shape of [".status .dot.online", ".status .dot.errored", ".host-name i", ".cores li i"]) {
      await expect.poll(() => look(shape, "background-color")).not.toEqual([ground]);
    }
    await expect.poll(() => axe(page)).toEqual([]);
  });

  longTest("every other view is accessible", async () => {
    const server = await testServer();
    const { page } = await openConsole(browser, server.url, {
      tab: "environment",
      stored: { "service-management.v1": JSON.stringify(suiteOf(a, b, lambda)) },
    });
    await page.emulateMedia({ forcedColors: "active" });
    const found: string[] = [];
    for (const tab of TABS) {
      await page.evaluate((next) => void (location.hash = `#/${next}`), tab);
      await page.locator(`.panel.${tab} h1`).waitFor();
      found.push(...(await axe(page)).map((words) => `${tab} ${words}`));
    }
    expect(found).toEqual([]);
  });

  longTest("an enabled button of a row has a different border from a disabled one", async () => {
    const { page } = await monitored(browser);
    await closePanel(page);
    await page.emulateMedia({ forcedColors: "active" });
    const border = (name: string): Promise<string> =>
      page.getByRole("button", { name, exact: true }).evaluate((button) => getComputedStyle(button).borderTopStyle);
    await expect
      .poll(() => page.getByRole("button", { name: "Start shop-restapi", exact: true }).isDisabled())
      .toBe(true);
    expect([await border("Start shop-restapi"), await border("Stop shop-restapi")]).toEqual(["dashed", "solid"]);
  });
});

describe.skipIf(!hasBrowser)("the tools of the table", () => {
  test("stay on one line at 1280 pixels with every state, and the filter is at the end", async () => {
    const { page, give } = await monitored(browser);
    give([...processes, { status: "stopped" }, { status: "launching" }]);
    await page.getByRole("radio", { name: /Changing/ }).waitFor({ state: "attached" });
    await expect.poll(() => page.locator(".chips label").count()).toBe(6);
    await closePanel(page);
    const middles = await page.locator(".table-tools > :is(.chips, .comparison, .filter)").evaluateAll((parts) =>
      parts.map((part) => {
        const { top, height } = part.getBoundingClientRect();
        return Math.round(top + height / 2);
      }),
    );
    expect(new Set(middles).size).toBe(1);
  });
});

describe.skipIf(!hasBrowser)("the bars at the top", () => {
  longTest.each([1280, 390])("cover no element that has the focus, %s pixels wide", async (width) => {
    const { page, give, telemetry } = await handMonitoring(browser);
    await telemetry.watchers(1);
    give(Array.from({ length: 60 }, (_, at) => ({ name: `app-${at}` })));
    await page.setViewportSize({ width, height: 800 });
    const last = page.locator(".process-name").last();
    await last.waitFor();
    await last.focus();
    const hidden: string[] = [];
    for (let step = 0; step < 90; step += 1) {
      await page.keyboard.press("Shift+Tab");
      const words = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        if (!element.closest(".processes")) return undefined;
        const { top, left } = element.getBoundingClientRect();
        const over = document.elementFromPoint(left + 3, top + 3);
        return over?.closest(".top, .tabs, thead") && !element.closest("thead") ? element.textContent : undefined;
      });
      if (words !== undefined) hidden.push(words);
    }
    expect(hidden).toEqual([]);
  });

  longTest("scroll with the page if it is zoomed to 400 %", async () => {
    const { page } = await monitored(browser);
    await page.setViewportSize({ width: 320, height: 256 });
    for (const bar of [".top", ".tabs"]) {
      await expect
        .poll(() => page.locator(bar).evaluate((element) => getComputedStyle(element).position))
        .toBe("static");
    }
  });
});
