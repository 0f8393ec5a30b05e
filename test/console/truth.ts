/// <reference lib="dom" />
/** Compares the sentences of the page with what the API says at the same time. */
import type { Page } from "playwright-core";
import { ask, type TestServer } from "../server/support.ts";

interface Watched {
  readonly page: Page;
  readonly logs: Page;
  readonly server: TestServer;
  readonly until: number;
}

interface Truth {
  /** PM2 took longer to answer than a page waits, or did not answer. */
  readonly isSilent: boolean;
  readonly troubled: number;
  readonly online: number;
  readonly details: ReadonlyMap<string, string>;
}

/** A page shows a sample of a second ago, so a sentence is untrue if it is in no answer of this time. */
const ROUND_MS = 3_000;
/** A followed log shows a line within this time after it was written, or says that it stopped. */
const SILENT_MS = 15_000;
/** Below the time that a sample waits for PM2, because the moments differ. */
const PM2_SILENT_MS = 1_500;

interface Process {
  readonly name: string;
  readonly state: string;
  readonly problem: { readonly details: string } | null;
}

async function readTruth(server: TestServer): Promise<Truth> {
  const startedMs = performance.now();
  const { json, status } = await ask(server, "/api/runtime/pm2-metrics?environment=dev");
  const isSilent = performance.now() - startedMs > PM2_SILENT_MS;
  if (status === 500) return { isSilent: true, troubled: 1, online: 0, details: new Map() };
  const processes = json.processes as readonly Process[];
  const known = new Set(processes.map(({ name }) => name));
  const missing = (json.ecosystem.missingExpected as readonly string[]).filter((name) => !known.has(name));
  const details = new Map(
    processes.flatMap(({ name, problem }) => (problem ? [[name, problem.details] as const] : [])),
  );
  const online = processes.filter(({ state, problem }) => state === "online" && problem === null).length;
  return { isSilent, troubled: details.size + missing.length, online, details };
}

/** The figures of a sentence change with each sample; its words do not, except that a loop ends before it is restarted. */
const words = (text: string): string => text.replaceAll(/\d+/g, "#").replace(" and was restarted", "");

type Shown = Awaited<ReturnType<typeof readPage>>;

async function readPage(page: Page) {
  return await page.evaluate(() => {
    const textOf = (selector: string): string => document.querySelector<HTMLElement>(selector)?.innerText ?? "";
    const cards = [...document.querySelectorAll<HTMLElement>(".inbox li.card")].map((card) => ({
      name: card.querySelector<HTMLElement>(".inbox-head bdi")?.innerText ?? "",
      text: card.innerText,
    }));
    const silence = textOf(".processes .status-line.error");
    return { line: textOf(".state-line"), title: document.title, silence, cards };
  });
}

/** True if the log has newer lines than the page shows, and the page does not say that it stopped. */
async function isFrozen(logs: Page, server: TestServer): Promise<boolean> {
  if ((await logs.getByText(/^The log stopped at/).count()) > 0) return false;
  const shown = await logs.locator(".log-line a").last().getAttribute("title");
  const [at = ""] = shown?.split(": ") ?? [];
  const { json } = await ask(server, "/api/logs?app=chatty&limit=1");
  return Date.parse(json.lines.at(-1)?.at ?? at) - Date.parse(at) > SILENT_MS;
}

/** The sentences of the page that none of these answers confirms. */
function untrueIn({ line, title, silence, cards }: Shown, truths: readonly Truth[]): string[] {
  const isTrue = (judge: (truth: Truth) => boolean): boolean => truths.some(judge);
  if (silence !== "") return isTrue(({ isSilent }) => isSilent) ? [] : [`silence: ${silence}`];
  const [, needs = "0"] = /(\d+) apps? needs? attention/.exec(line) ?? [];
  const [, online = ""] = /(\d+) online/.exec(line) ?? [];
  const isLineTrue =
    isTrue((truth) => truth.troubled === Number(needs)) && isTrue((truth) => truth.online === Number(online));
  const isTitleTrue = isTrue(({ troubled }) => title.startsWith(troubled > 0 ? `(${troubled}) ` : "Monitoring"));
  const untrue = cards
    .filter(({ text }) => !/declared apps? do/.test(text))
    .filter(({ name, text }) => !isTrue(({ details }) => words(text).includes(words(details.get(name) ?? "\0"))));
  return [
    ...(isLineTrue ? [] : [`state line: ${line}`]),
    ...(isTitleTrue ? [] : [`title: ${title}`]),
    ...untrue.map(({ name, text }) => `card of ${name}: ${text}`),
  ];
}

export async function untrueSentences({ page, logs, server, until }: Watched) {
  const found: string[] = [];
  let compared = 0;
  let truths = [await readTruth(server)];
  while (Date.now() < until) {
    const shown = await readPage(page);
    truths = [...truths.slice(-2), await readTruth(server)];
    const untrue = untrueIn(shown, truths);
    if (await isFrozen(logs, server)) untrue.push(`log: no line for ${SILENT_MS / 1000} s, and no word about it`);
    // At once, because a night that is cut off must not hide what it found.
    for (const sentence of untrue) console.log(`untrue at ${new Date().toISOString()}: ${sentence}`);
    found.push(...untrue);
    compared += 3 + shown.cards.length;
    await page.waitForTimeout(ROUND_MS);
  }
  return { found, compared };
}

/** Returns the memory and the nodes of the page after a garbage collection. */
export async function readMemory(page: Page): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("HeapProfiler.collectGarbage");
  await devTools.send("Performance.enable");
  const { metrics } = await devTools.send("Performance.getMetrics");
  await devTools.detach();
  const valueOf = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { megabytes: valueOf("JSHeapUsedSize") / 2 ** 20, nodes: valueOf("Nodes") };
}
