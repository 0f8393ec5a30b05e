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
  readonly troubled: number;
  readonly online: number;
  readonly details: ReadonlyMap<string, string>;
}

/** A page shows a sample of a second ago, so a sentence is untrue if it is in no answer of this time. */
const ROUND_MS = 3_000;
/** A followed log shows a line within this time, or says that it stopped. */
const SILENT_MS = 15_000;

interface Process {
  readonly name: string;
  readonly state: string;
  readonly problem: { readonly details: string } | null;
}

async function readTruth(server: TestServer): Promise<Truth> {
  const { json } = await ask(server, "/api/runtime/pm2-metrics?environment=dev");
  const processes = json.processes as readonly Process[];
  const known = new Set(processes.map(({ name }) => name));
  const missing = (json.ecosystem.missingExpected as readonly string[]).filter((name) => !known.has(name));
  const details = new Map(
    processes.flatMap(({ name, problem }) => (problem ? [[name, problem.details] as const] : [])),
  );
  const online = processes.filter(({ state, problem }) => state === "online" && problem === null).length;
  return { troubled: details.size + missing.length, online, details };
}

/** The figures of a sentence change with each sample; its words do not. */
const words = (text: string): string => text.replaceAll(/\d+/g, "#");

async function readPage(page: Page) {
  return await page.evaluate(() => {
    const textOf = (selector: string): string => document.querySelector<HTMLElement>(selector)?.innerText ?? "";
    const cards = [...document.querySelectorAll<HTMLElement>(".inbox li.card")].map((card) => ({
      name: card.querySelector<HTMLElement>(".inbox-head bdi")?.innerText ?? "",
      text: card.innerText,
    }));
    return { line: textOf(".state-line"), title: document.title, cards };
  });
}

async function isSilent(logs: Page): Promise<boolean> {
  if ((await logs.getByText(/^The log stopped at/).count()) > 0) return false;
  const last = await logs.locator(".log-line").last().innerText();
  const [, at = ""] = /^(\d\d:\d\d:\d\d)/.exec(last) ?? [];
  const now = new Date();
  const shown = new Date(now);
  shown.setHours(...(at.split(":").map(Number) as [number, number, number]), 0);
  return Math.abs(now.getTime() - shown.getTime()) > SILENT_MS;
}

export async function untrueSentences({ page, logs, server, until }: Watched) {
  const found: string[] = [];
  let compared = 0;
  let truths = [await readTruth(server)];
  while (Date.now() < until) {
    const shown = await readPage(page);
    truths = [...truths.slice(-2), await readTruth(server)];
    const isTrue = (judge: (truth: Truth) => boolean): boolean => truths.some(judge);
    const [, needs = "0"] = /(\d+) apps? needs? attention/.exec(shown.line) ?? [];
    const [, online = ""] = /(\d+) online/.exec(shown.line) ?? [];
    if (!isTrue(({ troubled }) => troubled === Number(needs))) found.push(`state line: ${shown.line}`);
    if (!isTrue((truth) => truth.online === Number(online))) found.push(`state line: ${shown.line}`);
    if (!isTrue(({ troubled }) => shown.title.startsWith(troubled > 0 ? `(${troubled}) ` : "Monitoring")))
      found.push(`title: ${shown.title}`);
    for (const { name, text } of shown.cards.filter((card) => !/declared apps? do/.test(card.text))) {
      const isShown = isTrue(({ details }) => words(text).includes(words(details.get(name) ?? "\0")));
      if (!isShown) found.push(`card of ${name}: ${text}`);
    }
    if (await isSilent(logs)) found.push(`log: no line for ${SILENT_MS / 1000} s, and no word about it`);
    compared += 3 + shown.cards.length;
    await page.waitForTimeout(ROUND_MS);
  }
  return { found, compared };
}

/** What the page holds after a garbage collection. */
export async function readMemory(page: Page): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("HeapProfiler.collectGarbage");
  await devTools.send("Performance.enable");
  const { metrics } = await devTools.send("Performance.getMetrics");
  await devTools.detach();
  const valueOf = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { megabytes: valueOf("JSHeapUsedSize") / 2 ** 20, nodes: valueOf("Nodes") };
}
