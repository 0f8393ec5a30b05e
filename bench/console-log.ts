/**
 * The frames of the console over a log of 100,000 lines that grows by 1,000 a second, compared with the same page
 * before the log is open. The goal is 25 ms for 99 of 100 frames.
 *
 * node --import tsx bench/console-log.ts [seconds] [lines]
 */
import { chromium } from "playwright-core";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { measureLogFrames, pacedLogs, type Frames } from "./console/log-frames.ts";
import { openWorld } from "./console/world.ts";

const GOAL_MS = 25;
const [seconds = 6, filled = 100_000] = process.argv.slice(2).map(Number);
const pace = { filled, linesPerSecond: 1_000 };

const world = await openWorld(pacedLogs(pace));
world.show(1);
const program = await findChromium();
if (program === undefined) throw new Error("There is no browser.");
const browser = await chromium.launch({ ...program, args: chromiumArguments });
try {
  const { without, ...shown } = await measureLogFrames(browser, world, pace, seconds * 1000);
  print("without the log", without);
  for (const [name, frames] of Object.entries(shown))
    print(
      `${filled} lines, ${name}`,
      frames,
      `, ${(frames.p99 / without.p99).toFixed(2)} of it, goal ${GOAL_MS} ms, ${frames.p99 <= GOAL_MS ? "met" : "missed"}`,
    );
} finally {
  await browser.close();
  await world.close();
}

function print(what: string, { p50, p99, max }: Frames, verdict = ""): void {
  console.log(`${what}: frames p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${max.toFixed(1)} ms${verdict}`);
}
