/// <reference lib="dom" />
/** The charts in a real browser: drawing, pointer, touch and keyboard. */
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { chartedConsole, coloured, isDrawn, type ChartedConsole, type Colour } from "./charted-console.ts";
import { axe } from "./accessibility.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const LIGHT_CPU: Colour = [43, 98, 217];
const DARK_CPU: Colour = [110, 162, 255];
const LIGHT_MEMORY: Colour = [116, 70, 201];

const readouts = (page: Page) => page.locator(".readout");

async function across({ chart, place }: ChartedConsole, name: string, second: number): Promise<number> {
  const bounds = await chart(name).boundingBox();
  return (await place(name, second)).x - (bounds?.x ?? 0);
}

async function expectWords(page: Page, words: string | RegExp, isThere = true): Promise<void> {
  await page.getByText(words).waitFor({ state: isThere ? "attached" : "detached" });
}

async function pointAt({ page, place }: ChartedConsole, second: number): Promise<void> {
  const { x, y } = await place("CPU", second);
  await page.mouse.move(x, y);
}

async function dragFrom(open: ChartedConsole, from: number, to: number): Promise<void> {
  await pointAt(open, from);
  await open.page.mouse.down();
  await pointAt(open, (from + to) / 2);
  await pointAt(open, to);
  await open.page.mouse.up();
}

/** The canvas has the resolution of the screen. */
async function expectFine(page: Page, ratio: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const canvases = [...document.querySelectorAll<HTMLCanvasElement>(".chart canvas")];
    const isFine = (canvas: HTMLCanvasElement): boolean =>
      canvas.width === Math.round(canvas.getBoundingClientRect().width * wanted);
    return canvases.length > 0 && canvases.every(isFine);
  }, ratio);
}

describe.skipIf(!hasBrowser)("the drawing of a chart", () => {
  longTest("has a line, with a gap for each missing value or sample", async () => {
    const open = await chartedConsole(browser);
    const [cpu, memory] = [open.chart("CPU"), open.chart("Memory")];
    await coloured(cpu, await across(open, "CPU", 59), LIGHT_CPU);
    await coloured(memory, await across(open, "Memory", 59), LIGHT_MEMORY);
    const drawn = async (name: string, colour: Colour) => {
      const places = await Promise.all([10, 25, 35, 45, 55].map((second) => across(open, name, second)));
      return Promise.all(places.map((x) => isDrawn(open.chart(name), x, colour)));
    };
    await expect.poll(() => drawn("CPU", LIGHT_CPU)).toEqual([true, false, true, false, true]);
    await expect.poll(() => drawn("Memory", LIGHT_MEMORY)).toEqual([true, true, true, false, true]);
  });

  longTest("stops if the chart is removed from the page while the theme changes", async () => {
    const { page, problems } = await chartedConsole(browser);
    // The theme changes before the next frame.
    const theme = page.getByRole("button", { name: "Theme: system. Change to light" });
    await theme.evaluate(async (button: HTMLElement) => {
      const before = document.querySelector(".chart");
      const isRemoved = new Promise<void>((resolve) => {
        new MutationObserver(() => document.contains(before) || resolve()).observe(document, {
          subtree: true,
          childList: true,
        });
      });
      location.hash = "#/activity";
      await isRemoved;
      button.click();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    });
    expect(problems).toEqual([]);
  });

  longTest("uses the colours of the new theme after a change", async () => {
    const open = await chartedConsole(browser);
    const x = await across(open, "CPU", 10);
    await coloured(open.chart("CPU"), x, LIGHT_CPU);
    await open.page.emulateMedia({ colorScheme: "dark" });
    await coloured(open.chart("CPU"), x, DARK_CPU);
    await expect.poll(() => isDrawn(open.chart("CPU"), x, LIGHT_CPU)).toBe(false);
  });

  longTest("has the resolution of the screen and the width of its card, also after either changes", async () => {
    const { page } = await chartedConsole(browser);
    await expectFine(page, 1);
    await page.setViewportSize({ width: 1_000, height: 800 });
    await expectFine(page, 1);
    const session = await page.context().newCDPSession(page);
    // The height must change: otherwise the browser does not report the emulated screen to the page.
    const metrics = { width: 1_000, height: 700, deviceScaleFactor: 2, mobile: false };
    await session.send("Emulation.setDeviceMetricsOverride", metrics);
    await expectFine(page, 2);
  });

  longTest("stops while the chart is not visible", async () => {
    const { page, give } = await chartedConsole(browser);
    await page.evaluate(() => {
      const { prototype } = CanvasRenderingContext2D;
      const clear = Reflect.get(prototype, "clearRect");
      prototype.clearRect = function clearRect(...box) {
        if (this.canvas.closest(".host .chart")) document.body.dataset["draws"] = "some";
        clear.apply(this, box);
      };
    });
    await page.getByRole("button", { name: "dev-restapi" }).first().click();
    await page.getByRole("application", { name: "CPU of dev-restapi" }).waitFor();
    // The panel has the place of the charts of the host.
    await expect.poll(() => page.locator(".host .chart").first().isVisible()).toBe(false);
    await twoFrames(page);
    await page.evaluate(() => delete document.body.dataset["draws"]);
    await give(61);
    await page.locator(".now").getByText("81.0%").waitFor({ state: "attached" });
    await twoFrames(page);
    await expect.poll(() => page.evaluate(() => document.body.dataset["draws"])).toBeUndefined();
    await page.keyboard.press("Escape");
    await page.locator("body[data-draws]").waitFor();
  });
});

/** Resolves after two frames, when everything due is drawn. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => void requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

describe.skipIf(!hasBrowser)("the pointer on a chart", () => {
  longTest("shows time and value in every chart until it leaves the chart", async () => {
    const open = await chartedConsole(browser);
    const { page } = open;
    await pointAt(open, 10);
    await readouts(page).nth(2).waitFor();
    await expect
      .poll(() => readouts(page).allTextContents())
      .toEqual(["12:00:10 35%", "12:00:10 30%", "12:00:10 42.1%"]);
    await pointAt(open, 25);
    await expectWords(page, "12:00:25 –");
    for (const name of ["CPU", "Memory"]) {
      const { x, y } = await open.place(name, 15);
      await page.mouse.click(x, y);
    }
    await twoFrames(page);
    await expect.poll(() => readouts(page).first().textContent()).toBe("12:00:15 35%");
    await page.mouse.move(0, 0);
    await readouts(page).first().waitFor({ state: "detached" });
  });

  longTest("keeps its place while time passes", async () => {
    const open = await chartedConsole(browser);
    await pointAt(open, 10);
    await expectWords(open.page, "12:00:10 35%");
    await open.give(61);
    await expectWords(open.page, "12:00:11 35%");
  });

  longTest("zooms by dragging and pauses, until a double click", async () => {
    const open = await chartedConsole(browser);
    const { page, chart, give } = open;
    await dragFrom(open, 30, 60);
    await expectWords(page, /^Paused/);
    await chart("CPU of the host in percent, over a part of the last 1m").waitFor();
    await give(61);
    await pointAt(open, 20);
    await expectWords(page, "12:00:39 35%");
    await page.mouse.dblclick((await open.place("CPU", 60)).x, (await open.place("CPU", 60)).y);
    await chart("CPU of the host in percent, over the last 1m").waitFor();
    await pointAt(open, 60);
    await expectWords(page, "12:01:01 35%");
    await expect.poll(() => page.getByText(/^Paused/).count()).toBe(0);
  });

  longTest("ends the zoom with Resume", async () => {
    const open = await chartedConsole(browser);
    await dragFrom(open, 10, 20);
    await expectWords(open.page, /^Paused/);
    await open.page.getByRole("button", { name: "Resume" }).click();
    await open.chart("CPU of the host in percent, over the last 1m").waitFor();
  });

  longTest("zooms by dragging a finger along the chart; a vertical drag scrolls the page", async () => {
    const open = await chartedConsole(browser, { isPhone: true });
    const { page, place, chart } = open;
    await page.setViewportSize({ width: 390, height: 600 });
    await chart("CPU").evaluate((one) => one.scrollIntoView({ block: "center" }));
    const begin = await page.evaluate(() => window.scrollY);
    const session = await page.context().newCDPSession(page);
    const touch = async (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) => {
      await session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    };
    const [from, to] = [await place("CPU", 10), await place("CPU", 20)];
    // A scroll continues after the finger is lifted, and the next touch would only stop it.
    const settled = await page.evaluateHandle(() => {
      const ended = new Promise<unknown>((resolve) => {
        addEventListener("scrollend", resolve, { once: true });
      });
      return { ended: ended.then(() => 0) };
    });
    await touch("touchStart", from.x, from.y);
    for (const step of [30, 60, 90, 120, 150]) await touch("touchMove", from.x, from.y - step);
    await touch("touchEnd");
    await settled.evaluate(({ ended }) => ended);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(begin);
    expect([await page.getByText(/^Paused/).count(), await readouts(page).count()]).toEqual([0, 0]);
    await page.evaluate((y) => window.scrollTo(0, y), begin);
    await touch("touchStart", from.x, from.y);
    await touch("touchEnd");
    await expectWords(page, "12:00:10 35%");
    await touch("touchStart", from.x, from.y);
    for (const part of [0.3, 0.6, 1]) await touch("touchMove", from.x + (to.x - from.x) * part, from.y);
    await touch("touchEnd");
    await expectWords(page, /^Paused/);
  });
});

describe.skipIf(!hasBrowser)("keys on a chart", () => {
  longTest("move from sample to sample and announce each one; new samples are not announced", async () => {
    const { page, chart, give, shown } = await chartedConsole(browser);
    const cpu = chart("CPU");
    const spoken = cpu.locator("[aria-live]");
    await cpu.focus();
    const press = async (key: string, words: string) => {
      await page.keyboard.press(key);
      await spoken.getByText(words, { exact: true }).waitFor();
    };
    await press("ArrowLeft", "12:01:00, 35%");
    await press("ArrowLeft", "12:00:59, 35%");
    await press("ArrowRight", "12:01:00, 35%");
    await press("Home", "12:00:00, 35%");
    await press("End", "12:01:00, 35%");
    await expect
      .poll(() => readouts(page).allTextContents())
      .toEqual(["12:01:00 35%", "12:01:00 80%", "12:01:00 42.1%"]);
    await expect.poll(() => axe(page)).toEqual([]);
    await give(61);
    await shown(61);
    await expect.poll(() => spoken.textContent()).toBe("12:01:00, 35%");
    await press("ArrowRight", "12:01:01, 35%");
    await page.keyboard.press("Escape");
    await readouts(page).first().waitFor({ state: "detached" });
    await expect.poll(() => spoken.textContent()).toBe("");
  });

  longTest("zoom in and out", async () => {
    const { page, chart } = await chartedConsole(browser);
    await chart("CPU").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("+");
    await expectWords(page, /^Paused/);
    await page.keyboard.press("End");
    await expectWords(page, "12:00:30 35%");
    await page.keyboard.press("-");
    await expectWords(page, /^Paused/, false);
    await page.keyboard.press("+");
    await expectWords(page, /^Paused/);
    await page.keyboard.press("Escape");
    await expectWords(page, /^Paused/, false);
  });
});
