/** Sockets, descriptors and logs of a machine that is played. Time passes only while svcm waits. */
import type { TcpSocket } from "../../../src/core/files/reading.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { FactsReader } from "../../../src/core/running/read-states.ts";
import { record } from "../../support/process-record.ts";

export const NOW = 1_000_000;
export const MODULE_ERROR = [
  "You have triggered an unhandledRejection, you may have forgotten to catch a Promise rejection:",
  "Error: x",
  "    at file:///srv/a.js:1:1",
];

export function service(pmId: number, more: Partial<ProcessRecord> = {}): ProcessRecord {
  return record({
    pmId,
    name: `app${pmId}`,
    status: "online",
    pid: 10 + pmId,
    listenPorts: [3000],
    lastStartAt: NOW - 30_000,
    ...more,
  });
}

export function socket(fields: Partial<TcpSocket> = {}): TcpSocket {
  const unaccepted = Array.from({ length: fields.waiting ?? 0 }, (_, index) => `client ${index}`);
  return { inode: "1", isListening: true, address: "127.0.0.1", port: 3000, waiting: 0, unaccepted, ...fields };
}

export interface Machine {
  /** At a time since the begin. */
  readonly sockets?: (ms: number) => readonly TcpSocket[];
  /** By pid; a pid that is not in it may not be seen. */
  readonly held?: Readonly<Record<number, readonly string[]>>;
  readonly children?: Readonly<Record<number, readonly number[]>>;
  readonly activity?: (pid: number, ms: number) => object | undefined;
  readonly calls?: (ms: number) => number;
  readonly isBlind?: boolean;
  /** By PM2's number. */
  readonly tails?: Readonly<
    Record<number, { readonly lines: readonly string[]; readonly writtenMs: number; readonly outputMs?: number }>
  >;
  readonly written?: Readonly<Record<number, { readonly lines: readonly string[]; readonly writtenMs: number }>>;
  readonly list?: readonly ProcessRecord[];
  readonly entries?: readonly object[];
  readonly audit?: readonly object[];
  readonly times?: readonly (number | null | "invalid")[];
}

export function playMachine(machine: Machine = {}) {
  let ms = 0;
  const reads = { logs: 0, trees: 0, audit: 0 };
  const { held = {}, tails = {}, written = {} } = machine;
  const kernel = {
    descendants: ([pid = 0]: readonly number[]) => new Map([[pid, machine.children?.[pid] ?? []]]),
    activity: (pids: readonly number[]) =>
      new Map(
        pids.flatMap((pid) => {
          const one = machine.activity?.(pid, ms);
          return one === undefined ? [] : [[pid, one]];
        }),
      ),
    countCalls: () => machine.calls?.(ms),
    tcpSockets: () => machine.sockets?.(ms) ?? [],
    shows: (pid: number) => held[pid] !== undefined,
    socketInodes: (pid: number) => held[pid] && new Set(held[pid]),
  };
  const ports = {
    clock: { now: () => NOW + ms, elapsed: () => ms, sleep: async (wait: number) => void (ms += wait) },
    machine: { openTrees: async () => ((reads.trees += 1), machine.isBlind === true ? undefined : kernel) },
    processLogs: {
      readErrorTail: async ({ pmId }: { pmId: number }) => tails[pmId],
      readPm2Log: async () => ((reads.logs += 1), { entries: machine.entries ?? [] }),
    },
    processes: {
      list: async () => machine.list ?? [],
      writtenErrors: async ({ pmId }: { pmId: number }) => written[pmId],
    },
    audit: { newest: async () => ((reads.audit += 1), { records: machine.audit ?? [] }) },
    schedules: {
      next: async () => (machine.times === undefined ? undefined : { timesMs: machine.times, zone: "UTC" }),
    },
    stamps: { missing: () => new Set() },
  };
  return {
    ports: ports as unknown as ConstructorParameters<typeof FactsReader>[0] & typeof ports,
    reads,
    pass: (more: number) => void (ms += more),
    waitedMs: () => ms,
  };
}
