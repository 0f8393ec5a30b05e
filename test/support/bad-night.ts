/**
 * A bad night of twelve declared apps: a crash loop, a hung app, one that PM2 has given up, restarts by hand, and nine that PM2
 * does not know. As the files that PM2 would have written, and as the sample that the server would have taken.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Made } from "../console/hand-monitoring.ts";
import type { Pm2 } from "./pm2-daemon.ts";

export const LOOP_MS = 9_000;
export const MISSING = Array.from({ length: 9 }, (_, at) => `service-${at + 1}`);

/** One line of pm2.log, in the local time of the machine, as PM2 writes it. */
export function pm2Line(atMs: number, text: string): string {
  const at = new Date(atMs);
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(padded).join("-");
  return `${date}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(":")}: PM2 log: ${text}\n`;
}

const padded = (value: number): string => String(value).padStart(2, "0");

export function crashLine(atMs: number, app = "consumer", id = 0): string {
  const exit = pm2Line(atMs, `App [${app}:${id}] exited with code [1] via signal [SIGINT]`);
  return exit + pm2Line(atMs, `App [${app}:${id}] starting in -fork mode-`);
}

function restartLines(atMs: number, app: string, id: number): string {
  const lines = [
    `Stopping app:${app} id:${id}`,
    `App [${app}:${id}] exited with code [0] via signal [SIGINT]`,
    `App [${app}:${id}] starting in -fork mode-`,
  ];
  return lines.map((text) => pm2Line(atMs, text)).join("");
}

/** A loop from an hour before `now` on, and restarts of web and api one and two minutes after `changedMs`. */
export function writeNightLog(home: string, { now, changedMs }: { now: number; changedMs: number }): void {
  mkdirSync(home, { recursive: true });
  const entries: { readonly atMs: number; readonly text: string }[] = [
    { atMs: changedMs + 60_000, text: restartLines(changedMs + 60_000, "web", 1) },
    { atMs: changedMs + 120_000, text: restartLines(changedMs + 120_000, "api", 2) },
  ];
  for (let atMs = now - 3_600_000; atMs < now; atMs += LOOP_MS) entries.push({ atMs, text: crashLine(atMs) });
  const log = entries.toSorted((a, b) => a.atMs - b.atMs).map(({ text }) => text);
  writeFileSync(join(home, "pm2.log"), log.join(""));
}

const loop = { code: "PROCESS_CRASH_LOOP", details: "It ended by itself and was restarted 400 times." } as const;
const hung = {
  code: "PROCESS_HUNG",
  details: "It does not accept connections on port 3000: 4 connections wait.",
} as const;

export const nightProcesses: readonly Made[] = [
  { name: "consumer", restartCount: 400, unstableRestarts: 0, problem: loop },
  { name: "web", state: "hung", problem: hung },
  { name: "feed-importer", status: "errored", pid: null },
  { name: "scheduler", status: "stopped", pid: null },
  { name: "api" },
];

export const nightEcosystem = { missingExpected: MISSING };

/** Runs the night under a real PM2: a crash loop, an app that PM2 gives up, one with forty lines a second, and nine that never started. */
export async function runNight(own: Pm2): Promise<void> {
  const throws = (ms: number): string =>
    `setTimeout(() => { throw new Error("connect ECONNREFUSED 10.0.0.7:5672"); }, ${ms});`;
  const running = [
    { name: "consumer", code: throws(LOOP_MS / 9) },
    { name: "feed-importer", code: throws(0), max_restarts: 2, min_uptime: 5000 },
    {
      name: "chatty",
      code: 'let at = 0; setInterval(() => console.log(new Date().toISOString(), "line", (at += 1)), 25);',
    },
  ];
  own.pm2Folder([...running, ...MISSING.map((name) => ({ name }))].map(({ name }) => ({ name, script: "idle.cjs" })));
  for (const app of running) await own.run(app);
}
