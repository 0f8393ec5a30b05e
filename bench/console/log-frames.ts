/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import type { LogLine, Ports } from "../../src/core/index.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { World } from "./world.ts";

const APP = "process-000";
const BATCH = 500;

export interface LogPace {
  readonly filled: number;
  readonly linesPerSecond: number;
}

/** Grows in one batch every tenth of a second. */
export function pacedLogs({ filled, linesPerSecond }: LogPace): Pick<Ports["logs"], "watch"> {
  return {
    async *watch(_filter, signal) {
      let count = 0;
      const next = (length: number): LogLine[] => Array.from({ length }, () => lineAt((count += 1)));
      yield { lines: next(BATCH), skipped: 0, begin: { older: null, problems: [] } };
      while (!signal.aborted) {
        const isFull = count >= filled;
        // A client that has not drawn the last batch would miss the next one.
        await wait(isFull ? 100 : 20);
        yield { lines: next(isFull ? linesPerSecond / 10 : BATCH), skipped: 0 };
      }
    },
  };
}

export interface Frames {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export async function measureLogFrames(browser: Browser, { url }: World, { filled }: LogPace, ms: number) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  // tsx wraps the names of functions in this file, including those that run in the page.
  await page.addInitScript("globalThis.__name = (one) => one");
  await page.goto(url);
  await page.getByRole("button", { name: APP }).first().click();
  await page.getByRole("button", { name: "Show the log" }).waitFor();
  const without = await framesOf(page, ms);
  await page.getByRole("button", { name: "Show the log" }).click();
  await page.waitForFunction((rows) => document.querySelector(".log-lines")!.scrollHeight >= rows * 20, filled);
  const following = await framesOf(page, ms);
  const scrolling = await framesOf(page, ms, ".log-lines");
  await page.close();
  return { without, following, scrolling };
}

/** @param scrolled a part of the page that is scrolled in each frame */
async function framesOf(page: Page, ms: number, scrolled?: string): Promise<Frames> {
  return await page.evaluate(
    ([length, selector]) =>
      new Promise<Frames>((resolve) => {
        const box = selector === undefined ? null : document.querySelector(selector);
        const took: number[] = [];
        let last = performance.now();
        const end = last + length;
        const look = (): void => {
          const now = performance.now();
          took.push(now - last);
          last = now;
          if (box) box.scrollTop = (box.scrollTop + 3_000) % box.scrollHeight;
          if (now < end) return void requestAnimationFrame(look);
          const sorted = took.slice(1).toSorted((a, b) => a - b);
          const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
          resolve({ p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN });
        };
        requestAnimationFrame(look);
      }),
    [ms, scrolled] as const,
  );
}

function lineAt(at: number): LogLine {
  const text = `GET /orders/${at} 200 ${"x".repeat(80)}`;
  const time = new Date(Date.UTC(2030, 0, 1) + at * 10).toISOString();
  const file = `${APP}-out.log`;
  return { at: time, app: APP, pmId: 0, stream: "out", level: null, text, file, offset: at * 110 };
}
