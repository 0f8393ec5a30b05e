/// <reference lib="dom" />
/** The pages on paper: dark on white in either theme, nothing sticks, nothing is cut off, and no button is there. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { runNight } from "../support/bad-night.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { serverOver } from "./monitoring-page.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const real = pm2();
/** The width of A4 within its margins, in pixels of CSS. */
const A4 = { width: 718, height: 1015 };

beforeAll(async () => {
  await real.startDaemon();
  await runNight(real);
});
afterAll(() => real.end());

async function countPages(page: Page): Promise<number> {
  const pdf = await page.pdf({ format: "A4" });
  return [...pdf.toString("latin1").matchAll(/\/Type \/Page\b(?!s)/g)].length;
}

/** Shows the page as it would be printed, and returns what is wrong with it. */
async function faultsOnPaper(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize(A4);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const faults = await page.evaluate(findFaults);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: null });
  return faults;
}

/** Runs in the page. */
function findFaults(): string[] {
  const brightness = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [...color.matchAll(/[\d.]+/g)].map(Number);
    return (red * 299 + green * 587 + blue * 114) / 1000;
  };
  const hasWords = (one: Element): boolean =>
    [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim() !== "");
  const isShown = (one: Element): boolean => {
    const { width, height } = one.getBoundingClientRect();
    return width >= 2 && height >= 2 && one.closest(".hidden, svg, canvas") === null;
  };
  const paper = document.documentElement.clientWidth;
  const faults: Readonly<Record<string, (one: HTMLElement, style: CSSStyleDeclaration) => boolean>> = {
    sticks: (_, { position }) => position === "sticky" || position === "fixed",
    button: (one) => one.matches("button:not(.process-name, .sort, .log-stack, .cores-button, .logs .button)"),
    "dark ground": (one, { backgroundColor }) =>
      !/, 0\)$|transparent/.test(backgroundColor) && !one.matches("i") && brightness(backgroundColor) < 200,
    "pale words": (one, { color }) => hasWords(one) && brightness(color) > 150,
    "beyond the paper": (one) => {
      const { left, right } = one.getBoundingClientRect();
      return left < -1 || right > paper + 1;
    },
    "cut off": (one, { overflowX }) => overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1,
  };
  const shown = [...document.querySelectorAll<HTMLElement>("#root *")].filter(isShown);
  return Object.entries(faults).flatMap(([name, isFault]) =>
    shown
      .filter((one) => isFault(one, getComputedStyle(one)))
      .map((one) => `${name}: ${one.tagName}.${one.className} ${one.textContent?.slice(0, 40)}`),
  );
}

longTest.skipIf(!hasBrowser)(
  "Monitoring, the log, Activity and the plan of a bad night can be read on paper",
  async () => {
    const server = await serverOver(real);
    const { page } = await openConsole(browser, server.url, { theme: "dark", mayFail: true });
    await page.getByRole("region", { name: "Attention" }).getByText("feed-importer").first().waitFor();
    expect(await faultsOnPaper(page)).toEqual([]);
    await page.goto(`${server.url}/#/logs?apps=chatty`);
    await page.locator(".log-line").nth(20).waitFor();
    expect(await faultsOnPaper(page)).toEqual([]);
    // The lines that are off the screen are printed, too: 300 lines are more than three pages.
    await expect.poll(() => page.getByRole("log").evaluate((log) => log.scrollHeight)).toBeGreaterThan(6000);
    expect(await countPages(page)).toBeGreaterThan(3);
    await page.goto(`${server.url}/#/activity`);
    await page.locator(".activity-rows tbody th").nth(2).waitFor();
    expect(await faultsOnPaper(page)).toEqual([]);
    await page.goto(`${server.url}/#/plan`);
    await page.locator(".planned > li").first().waitFor();
    expect(await faultsOnPaper(page)).toEqual([]);
  },
);

longTest.skipIf(!hasBrowser)("all rows of a long list are printed, with whole names", async () => {
  const { page, give, telemetry } = await handMonitoring(browser, { theme: "dark", mayFail: true });
  await telemetry.watchers(1);
  const names = Array.from({ length: 120 }, (_, at) => `service-of-the-european-region-number-${at + 1}`);
  give(names.map((name) => ({ name })));
  await page.locator("tbody tr").first().waitFor();
  expect(await page.locator("tbody .process-name").count()).toBeLessThan(names.length);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect.poll(() => page.locator("tbody .process-name").count()).toBe(names.length);
  expect(await faultsOnPaper(page)).toEqual([]);
  expect(await countPages(page)).toBeGreaterThan(2);
});
