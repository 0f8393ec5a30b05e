import type { DiskReading, Listener } from "../metrics/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

export interface Surroundings {
  readonly own: readonly ProcessRecord[];
  readonly all: readonly ProcessRecord[];
  readonly errorLines: readonly string[];
  readonly listeners: readonly Listener[];
  readonly disks: readonly DiskReading[];
}

const PORT_TAKEN = /EADDRINUSE\D.*?:(\d{1,5})\b/;
const DISK_FULL = /\bENOSPC\b/;
const MIN_FREE_SHARE = 0.01;
const GB = 1e9;

export function findSymptoms(surroundings: Surroundings): string[] {
  return [...takenPort(surroundings), ...fullDisks(surroundings), ...waiting(surroundings), ...lagging(surroundings)];
}

/** With the sockets of child processes, and those that PM2 holds for a cluster. */
export function listenersOf({ pid, execMode }: ProcessRecord, listeners: readonly Listener[]): Listener[] {
  if (pid === null) return [];
  return listeners.filter((socket) => socket.pid === pid || (execMode !== "cluster" && socket.ancestors.includes(pid)));
}

export interface TakenPort {
  readonly port: number;
  readonly pid: number;
  readonly program: string;
  /** The process of PM2 that listens, or whose child does. */
  readonly owner: ProcessRecord | undefined;
}

/** The port that the error lines call taken, unless the process itself holds it by now. */
export function findTakenPort({ own, all, errorLines, listeners }: Omit<Surroundings, "disks">): TakenPort | undefined {
  const port = Number(errorLines.map((line) => PORT_TAKEN.exec(line)?.[1]).findLast(Boolean));
  const holder = listeners.find((socket) => socket.port === port);
  if (holder === undefined || own.some((record) => listenersOf(record, [holder]).length > 0)) return undefined;
  const owner = all.find((record) => listenersOf(record, [holder]).length > 0);
  return { port, pid: holder.pid, program: holder.program, owner };
}

function takenPort(surroundings: Surroundings): string[] {
  const taken = findTakenPort(surroundings);
  if (taken === undefined) return [];
  const { port, pid, program, owner } = taken;
  return [
    `Port ${port} is taken by ${owner === undefined ? program : `${owner.name} (id ${owner.pmId})`}, pid ${pid}.`,
  ];
}

function fullDisks({ errorLines, disks }: Surroundings): string[] {
  const isFull = errorLines.some((line) => DISK_FULL.test(line));
  const full = disks.flatMap((disk) => {
    if ("code" in disk) return [];
    const { path, availableBlocks, blocks, blockBytes } = disk;
    if (availableBlocks >= blocks * MIN_FREE_SHARE) return [];
    const [free, total] = [availableBlocks, blocks].map((count) => ((count * blockBytes) / GB).toFixed(1));
    return [`The file system of ${path} is full: ${free} of ${total} GB are free.`];
  });
  if (!isFull || full.length > 0) return full;
  return ["Its error log says that a file system was full (ENOSPC)."];
}

function waiting({ own, listeners }: Surroundings): string[] {
  return own.flatMap((record) =>
    listenersOf(record, listeners)
      .filter((socket) => socket.waiting > 0)
      .map(({ port, waiting: count }) => {
        const connections = count === 1 ? "1 connection waits" : `${count} connections wait`;
        return `It does not accept connections on port ${port}: ${connections}. It may hang.`;
      }),
  );
}

const LAG = "Event Loop Latency p95";
const MAX_LAG_MS = 100;

/** PM2's agent measures it in the process. */
function lagging({ own }: Surroundings): string[] {
  return own.flatMap(({ pid, pmId, customMetrics }) => {
    const ms = Math.round(Number(customMetrics[LAG]));
    if (pid === null || !(ms > MAX_LAG_MS)) return [];
    const of = own.length > 1 ? ` of id ${pmId}` : "";
    return [`The event loop${of} is up to ${ms} ms late (p95), so answers are late, too.`];
  });
}
