/// <reference lib="dom" />
import type { Browser, CDPSession, Page } from "playwright-core";
import { nextSample } from "../../test/console/monitoring-page.ts";
import type { World } from "./world.ts";

/** The index of a column that changes with every sample. */
const CPU = 4;
const names = { sort: "Memory", filter: "Filter the processes" };
/** Tasks, and scripts in them. */
const CATEGORIES = ["toplevel", "devtools.timeline"];
const SCRIPT = new Set(["FunctionCall", "EventDispatch", "FireAnimationFrame", "RunMicrotasks", "TimerFire"]);

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** In microseconds: wall-clock time, and thread time. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface Work {
  /** In milliseconds: total, in scripts, and in the longest task. */
  readonly main: number;
  readonly script: number;
  readonly longest: number;
}

interface Scene {
  /** Slows the processor down by this factor. */
  readonly slower?: number;
}

export async function measureTicks(
  browser: Browser,
  world: World,
  scene: Scene & { readonly count: number },
): Promise<Work> {
  const { page } = await watched(browser, world, scene);
  await nextSample(page, 4, CPU);
  const { main, script, longest } = await traced(browser, page, () => nextSample(page, scene.count, CPU));
  await page.close();
  return { main: main / scene.count, script: script / scene.count, longest };
}

export async function measureInteraction(
  browser: Browser,
  world: World,
  { kind, ...scene }: Scene & { readonly kind: "sort" | "filter" },
): Promise<number> {
  // After 3 seconds without a sample, the page would draw its values as old.
  world.pace(2_500);
  const { page } = await watched(browser, world, scene);
  const target = page.getByRole(kind === "sort" ? "button" : "searchbox", { name: names[kind], exact: true });
  const { x = 0, y = 0, width = 0, height = 0 } = (await target.boundingBox()) ?? {};
  const click = () => page.mouse.click(x + width / 2, y + height / 2);
  if (kind === "filter") await click();
  await drawn(page);
  // Nothing but the input is sent in a trace, because the code that finds an element is a long task in the page.
  const { longest } = await traced(browser, page, async () => {
    for (const key of kind === "sort" ? [""] : ["9", "Backspace"]) {
      await (key === "" ? click() : page.keyboard.press(key));
      await drawn(page);
    }
  });
  await page.close();
  world.pace(500);
  return longest;
}

/** In megabytes, after garbage collection. Before the first measurement, ring buffers are full and code is compiled. */
export async function measureHeap(browser: Browser, world: World, count: number) {
  world.pace(20);
  const { page, session } = await watched(browser, world, {});
  await nextSample(page, 300, CPU);
  const before = await heapOf(session);
  await nextSample(page, count, CPU);
  const after = await heapOf(session);
  await page.close();
  return { before, after };
}

async function watched(browser: Browser, { url }: World, { slower = 1 }: Scene) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const session = await page.context().newCDPSession(page);
  // Functions compiled by tsx call this helper; the page gets them as text.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.goto(url);
  await page.getByRole("button", { name: "process-000" }).first().waitFor();
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  return { page, session };
}

export async function longestTask(browser: Browser, page: Page, run: () => Promise<unknown>): Promise<number> {
  return (await traced(browser, page, run)).longest;
}

async function traced(browser: Browser, page: Page, run: () => Promise<unknown>): Promise<Work> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await run();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
    ),
  );
  const own = traceEvents.filter(({ pid, tid, ph }) => ph === "X" && mains.has(`${pid} ${tid}`));
  const tasks = outermost(own.filter(({ name }) => name.endsWith("RunTask"))).map(timeOf);
  const scripts = outermost(own.filter(({ name }) => SCRIPT.has(name))).map(timeOf);
  const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0);
  return { main: sum(tasks), script: sum(scripts), longest: Math.max(0, ...tasks) };
}

function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  let end = 0;
  return events
    .toSorted((a, b) => a.ts - b.ts)
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}

function timeOf({ tdur = 0 }: TraceEvent): number {
  return tdur / 1000;
}

/** The frames of an input, of what it changed a task later, and of the sparklines then in sight. */
function drawn(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
  });
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0) / 2 ** 20;
}
