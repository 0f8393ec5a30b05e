/** The ports of `svcm why`: lines of PM2's log, PM2's list, and the error log of an app. */
import { SvcmError } from "../../../src/core/api/errors.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

export const NOW = Date.parse("2026-11-27T08:00:00.000Z");
export const at = (second: number): string => new Date(NOW - 3_600_000 + second * 1000).toISOString();
export type Line = readonly [second: number, text: string];
export const START: Line = [1, "App [api:0] starting in -fork mode-"];
export const exit = (second: number, code = 7): Line[] => [
  [second, `App [api:0] exited with code [${code}] via signal [SIGINT]`],
  [second, "App [api:0] starting in -fork mode-"],
];

export interface World {
  readonly lines?: readonly Line[];
  readonly processes?: readonly ProcessRecord[] | SvcmError;
  readonly errors?: readonly object[];
  readonly problems?: readonly string[];
  readonly savedNames?: readonly string[];
  readonly signMs?: number | null;
  readonly loadFault?: string;
  readonly grants?: readonly string[];
  readonly releases?: readonly object[];
  readonly audit?: readonly object[];
  readonly writtenMs?: number;
  readonly coverage?: object;
}

export const api = (more: Partial<ProcessRecord> = {}) =>
  record({
    status: "online",
    pid: 9,
    lastStartAt: NOW - 60_000,
    startedAt: NOW - 60_000,
    createdAt: NOW - 7_200_000,
    ...more,
  });

export function makePorts({
  lines = [],
  processes = [api()],
  errors = [],
  problems = [],
  savedNames = [],
  signMs = null,
  ...world
}: World) {
  const entries = lines.flatMap(([second, text]) => logEntry(`${at(second).slice(0, 19)}: PM2 log: ${text}`) ?? []);
  const tail =
    errors.length === 0
      ? undefined
      : { lines: errors.map(({ text }: { text?: string }) => text ?? ""), writtenMs: world.writtenMs ?? NOW };
  return {
    clock: { now: () => NOW, elapsed: () => 0 },
    processLogs: {
      readPm2Log: async () => ({ entries, isComplete: true, isTruncated: false }),
      readCoverage: async () => world.coverage ?? { exists: true, fromMs: NOW - 7_200_000 },
      readErrorTail: async () => tail,
      readEarlyErrors: async () => [],
      readDaemonTraces: async () => ({ pid: 77, signMs, savedNames }),
    },
    audit: { newest: async () => ({ records: world.audit ?? [], isComplete: true }) },
    sightings: { readSince: async () => [], readKernel: async () => ({}), findLoadFault: async () => world.loadFault },
    processes: {
      lostDaemons: () => [],
      list: async () => {
        if (processes instanceof SvcmError) throw processes;
        return processes;
      },
    },
    releases: { list: async () => world.releases ?? [], lockedSince: async () => null },
    logs: {
      read: async () => ({
        lines: errors.map((one) => ({ pmId: 0, at: null, level: null, text: "", ...one })),
        older: null,
        problems: problems.map((details) => ({ details })),
      }),
    },
    machine: {
      listeners: async () => [],
      openTrees: async () => undefined,
      systemLimits: () => undefined,
      openReader: async () => ({ disks: async () => [], close: () => undefined }),
    },
    schedules: { next: async () => undefined },
    stamps: { missing: () => new Set() },
    workspace: { pm2Home: "/pm2" },
  };
}
