/**
 * The cost of the console with processes that change twice a second. CPU times of the page's main thread come from the
 * browser's trace, so other load does not count. Each has a goal instead of a baseline.
 *
 * node --import tsx bench/console.ts [ticks] [ticks for the heap]
 */
import { chromium } from "playwright-core";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { measureLoading, wireKilobytes } from "./console/loading.ts";
import { measureRefresh } from "./console/nodes.ts";
import { openWorld } from "./console/world.ts";
import { measureHeap, measureInteraction, measureTicks } from "./console/work.ts";

const TICKS = Number(process.argv[2] ?? 40);
const HEAP_TICKS = Number(process.argv[3] ?? 2_000);
const MANY = 1_000;
const SLOWER = 6;
const NODES = 300;

const world = await openWorld();
const program = await findChromium();
if (program === undefined) throw new Error("There is no browser.");
const browser = await chromium.launch({ ...program, args: [...chromiumArguments, "--js-flags=--expose-gc"] });

try {
  print("script on the wire, gzip and brotli", wireKilobytes(), "100 KB");
  const { paint, usable, slowPaint, slowUsable } = await measureLoading(browser, world);
  print("first paint", ms(paint), "");
  print("rows of 100 processes after the address is set", ms(usable), "1000 ms");
  print("first paint at 50 KB/s and 300 ms", ms(slowPaint), "1500 ms");
  print("rows at 50 KB/s and 300 ms", ms(slowUsable), "");
  for (const count of [100, MANY]) {
    world.show(count);
    const { main, script } = await measureTicks(browser, world, { count: TICKS });
    print(`a tick, ${count} processes: main thread`, ms(main), count === MANY ? "12 ms" : "");
    print(`a tick, ${count} processes: script`, ms(script), count === MANY ? "" : "8 ms");
  }
  for (const kind of ["sort", "filter"] as const) {
    print(`${kind}, ${MANY} processes`, ms(await measureInteraction(browser, world, { kind })), "100 ms");
  }
  world.show(100);
  const { longest } = await measureTicks(browser, world, { count: TICKS, slower: SLOWER });
  print(`longest task of a tick, 100 processes, CPU / ${SLOWER}`, ms(longest), "50 ms");
  for (const kind of ["sort", "filter"] as const) {
    print(
      `${kind}, 100 processes, CPU / ${SLOWER}`,
      ms(await measureInteraction(browser, world, { kind, slower: SLOWER })),
      "50 ms",
    );
  }
  print(`longest task of a refresh, ${NODES} nodes`, ms(await measureRefresh(browser, world, NODES)), "50 ms");
  world.show(MANY);
  const { before, after } = await measureHeap(browser, world, HEAP_TICKS);
  print(`heap before and after ${HEAP_TICKS} ticks`, `${before.toFixed(2)} -> ${after.toFixed(2)} MB`, "flat");
} finally {
  await browser.close();
  await world.close();
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function print(what: string, measured: string, goal: string): void {
  console.log(`${what.padEnd(52)} ${measured.padStart(20)}   ${goal}`);
}
