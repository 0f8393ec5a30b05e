/// <reference lib="dom" />
/** The monitoring tab with samples from the test, and the resulting drawing. */
import type { Locator, Page } from "playwright-core";
import type { Sample } from "../../src/core/index.ts";
import { boxOf, scaleOf } from "../../src/console/ui/chart/scale.ts";
import { manualTelemetry, sample, withTelemetry } from "../server/socket/hand-telemetry.ts";
import { testServer } from "../server/support.ts";
import { openConsole, type Browser, type ConsoleOptions } from "./open-console.ts";

export const NOON = new Date(2026, 0, 1, 12).getTime() / 1000;
export const CPU = 35;
/** The seconds without a CPU value and the seconds without a sample, both ends included. */
export const GAP = [20, 29] as const;
const SILENCE = [40, 49] as const;

export interface ChartedConsole {
  readonly page: Page;
  readonly problems: readonly string[];
  readonly chart: (name: string) => Locator;
  /** Sends the sample of a second, and resolves when the page has received it. */
  readonly give: (second: number) => Promise<void>;
  readonly shown: (second: number) => Promise<void>;
  /** The position of a second in the window, in a chart of the first minute. */
  readonly place: (name: string, second: number) => Promise<{ x: number; y: number }>;
}

/** One sample per second from 0 to 60, with a missing value and a pause in the samples. */
export async function chartedConsole(browser: Browser, options: ConsoleOptions = {}): Promise<ChartedConsole> {
  const telemetry = manualTelemetry();
  const server = await testServer({ world: withTelemetry(telemetry), limits: { maxUnreadSamples: 1_000 } });
  const { page, problems, sockets } = await openConsole(browser, server.url, options);
  await telemetry.watchers(1);
  const give = async (second: number): Promise<void> => {
    const given = sampleOf(second);
    const { collectedAt } = given.payload;
    const arrived = sockets
      .at(-1)
      ?.waitForEvent("framereceived", ({ payload }) => String(payload).includes(collectedAt));
    telemetry.give(given);
    await arrived;
  };
  for (let second = 0; second <= 60; second += 1) if (!isIn(SILENCE, second)) await give(second);
  // The memory percentage encodes the second.
  const shown = (second: number): Promise<void> =>
    page
      .locator(".now")
      .getByText(new RegExp(`^${second + 20}(\\.0)?%$`))
      .waitFor();
  await shown(60);
  await page.getByRole("radio", { name: "1m", exact: true }).check({ force: true });
  const chart = (name: string): Locator => page.getByRole("application", { name });
  return {
    page,
    problems,
    chart,
    give,
    shown,
    async place(name, second) {
      const bounds = await chart(name).boundingBox();
      if (bounds === null) throw new Error(`there is no chart ${name}`);
      const scale = scaleOf(boxOf(bounds.width, bounds.height), { from: 0, to: 60 }, 100);
      return { x: bounds.x + scale.x(second), y: bounds.y + scale.y(70) };
    },
  };
}

function isIn([from, to]: readonly [number, number], second: number): boolean {
  return second >= from && second <= to;
}

function sampleOf(second: number): Sample {
  const { payload } = sample((NOON + second) * 1000);
  const { cpu, memory } = payload.host;
  const usagePercent = isIn(GAP, second) ? null : CPU;
  const host = { ...payload.host, cpu: { ...cpu, usagePercent }, memory: { ...memory, usedPercent: second + 20 } };
  return { kind: "metrics", payload: { ...payload, host } };
}

export type Colour = readonly [red: number, green: number, blue: number];

/**
 * Resolves when the line of a chart has a colour.
 * @param x in CSS pixels from the left of the chart
 */
export async function coloured(chart: Locator, x: number, colour: Colour): Promise<void> {
  const element = await chart.locator("canvas").elementHandle();
  await chart.page().waitForFunction(isColoured, { element, x, colour });
}

export async function isDrawn(chart: Locator, x: number, colour: Colour): Promise<boolean> {
  const element = await chart.locator("canvas").elementHandle();
  return chart.page().evaluate(isColoured, { element, x, colour });
}

/** Runs in the page: returns whether a column has a pixel of the colour, even if other colours blend with it. */
function isColoured({ element, x, colour }: { element: unknown; x: number; colour: Colour }): boolean {
  const canvas = element as HTMLCanvasElement;
  const at = Math.round((x * canvas.width) / canvas.clientWidth);
  // The browser warns about pages that read from a canvas on the screen.
  const copy = new OffscreenCanvas(1, canvas.height).getContext("2d", { willReadFrequently: true });
  copy?.drawImage(canvas, -at, 0);
  const column = copy?.getImageData(0, 0, 1, canvas.height).data ?? new Uint8ClampedArray();
  for (let pixel = 0; pixel < column.length; pixel += 4) {
    const isOpaque = (column[pixel + 3] ?? 0) > 120;
    if (isOpaque && colour.every((part, which) => Math.abs(part - (column[pixel + which] ?? 0)) < 24)) return true;
  }
  return false;
}
