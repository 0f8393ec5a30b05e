import type { DiskReading, SystemLimits, TcpSocket } from "../files/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { type Machine, type PortHolder, findHolder, findLeftOvers, isTakenBy, takenText } from "./port-holders.ts";
import { DISK_FULL } from "../words/thrown.ts";
import { appKind } from "./code-evidence.ts";
import { MAX_SHORT_RUN_MS } from "./restarts.ts";
import { isOnlineService } from "./read-serving.ts";
import { MIN_LOADING_MS } from "./serving.ts";
import { type StateOf, isEnding, isWithoutPid } from "./state.ts";

export interface Surroundings extends Machine {
  readonly own: readonly ProcessRecord[];
  readonly errorLines: readonly string[];
  readonly disks: readonly DiskReading[];
  readonly limits?: SystemLimits | undefined;
  readonly epochMs: number;
  /** All of the machine, if this user may see those of the processes themselves. */
  readonly sockets?: readonly TcpSocket[] | undefined;
}

/** With an address, and for TCP: a path is that of a socket file, and `bind` is for UDP, except in a cluster (`null`). */
const PORT_TAKEN =
  /(?:\bbind )?\bEADDRINUSE:?(?: address already in use:?)? (?<address>(?!\/)\S*?):(?<port>\d{1,5})(?![\w:.])/;
const MIN_FREE_SHARE = 0.01;
const GB = 1e9;
const MB = 1e6;

export function findSymptoms(surroundings: Surroundings): string[] {
  const { errorLines, limits } = surroundings;
  return [
    ...takenPort(surroundings),
    ...unseenHolder(surroundings),
    ...unservedPorts(surroundings),
    ...fullDisks(surroundings),
    ...(limits === undefined ? [] : reachedLimit(errorLines, limits)),
    ...lagging(surroundings),
  ];
}

/** The holder of the port that the error lines call taken, unless the process itself holds it by now. */
export function findTakenPort({
  own,
  errorLines,
  ...machine
}: Omit<Surroundings, "disks" | "epochMs" | "limits" | "sockets">): PortHolder | undefined {
  const taken = takenAddress({ own, errorLines });
  return taken && findHolder(taken.port, own, machine, taken.address);
}

/** In fork mode, an error of `bind` with an address is of UDP. A worker of a cluster has the same for TCP. */
function takenAddress({
  own,
  errorLines,
}: Pick<Surroundings, "own" | "errorLines">): { port: number; address: string | undefined } | undefined {
  const found = errorLines.map((line) => PORT_TAKEN.exec(line)).findLast((match) => match !== null);
  const { address, port } = found?.groups ?? {};
  const isOfWorker = address === "null" || own.some(({ execMode }) => execMode === "cluster");
  if (found === undefined || (found[0].startsWith("bind ") && !isOfWorker)) return undefined;
  return { port: Number(port), address: address === "null" ? undefined : address };
}

/** The kernel shows all sockets of the network, but no processes of other users or of other containers with that network. */
function unseenHolder({ own, errorLines, listeners, sockets = [] }: Surroundings): string[] {
  const taken = takenAddress({ own, errorLines });
  if (taken === undefined || listeners.some(({ port }) => port === taken.port)) return [];
  const isHeld = sockets.some((socket) => socket.isListening && isTakenBy(socket, taken.port, taken.address));
  return isHeld
    ? [
        `Port ${taken.port} is taken by a process that cannot be seen from here: of another user, or outside of this container.`,
      ]
    : [];
}

/** A server may have closed its listener, or listen elsewhere. A worker may have the variable, too, so it proves no fault. */
function unservedPorts({ own, sockets, epochMs }: Surroundings): string[] {
  if (sockets === undefined) return [];
  const loaded = own.filter((one) => isOnlineService(one) && epochMs - (one.lastStartAt ?? epochMs) >= MIN_LOADING_MS);
  const ports = new Set(loaded.flatMap(({ listenPorts = [] }) => listenPorts));
  for (const { isListening, port } of sockets) if (isListening) ports.delete(port);
  return [...ports].map((port) => `Nothing accepts TCP connections on port ${port}, which its variables name.`);
}

function takenPort(surroundings: Surroundings): string[] {
  const taken = findTakenPort(surroundings);
  const names = new Set(surroundings.own.map(({ name }) => name));
  const left = findLeftOvers(surroundings).filter((one) => one.pid !== taken?.pid && names.has(one.formerApp ?? ""));
  return [...(taken === undefined ? [] : [taken]), ...left].map((holder) => {
    const { owner } = holder;
    return takenText(holder, owner && `${owner.name} (id ${owner.pmId})`);
  });
}

const COMMON_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm"];
const NAMED_PATH = / '(\/[^']+)'/g;

/**
 * The folders in which an app writes: its own one and those of its logs. If its error log says that some file system was
 * full, also the folders of temporary files and those that the log names.
 */
export function writtenFolders(own: readonly ProcessRecord[], errorLines: readonly string[]): string[] {
  const full = errorLines.filter((line) => DISK_FULL.test(line));
  const named = full.flatMap((line) => [...line.matchAll(NAMED_PATH)].map(([, path = ""]) => path));
  const logs = own.flatMap(({ logFiles }) => [logFiles?.error ?? [], logFiles?.out ?? []].flat());
  const folders = [...logs, ...named].map((path) => path.slice(0, path.lastIndexOf("/")) || "/");
  return [...own.flatMap(({ cwd }) => cwd ?? []), ...folders, ...(full.length > 0 ? COMMON_FOLDERS : [])];
}

function sizeText(bytes: number): string {
  return bytes > 0 && bytes < GB / 10 ? `${(bytes / MB).toFixed(1)} MB` : `${(bytes / GB).toFixed(1)} GB`;
}

function fullDisks({ errorLines, disks }: Surroundings): string[] {
  const isFull = errorLines.some((line) => DISK_FULL.test(line));
  const full = disks.flatMap((disk) => {
    if ("code" in disk) return [];
    const { path, availableBlocks, blocks, blockBytes, freeInodes } = disk;
    // An image that is read-only has neither.
    if (freeInodes === 0)
      return availableBlocks === 0
        ? []
        : [`The file system of ${path} has no free inodes, so no file can be created in it.`];
    if (availableBlocks >= blocks * MIN_FREE_SHARE) return [];
    const [free, total] = [availableBlocks, blocks].map((count) => sizeText(count * blockBytes));
    return [`The file system of ${path} is full: ${free} of ${total} are free.`];
  });
  if (!isFull || full.length > 0) return full;
  return ["Its error log says that a file system was full (ENOSPC)."];
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

/** Before the state says that it is a crash loop. PM2 forgets these at a requested restart. */
const MIN_UNSTABLE_RESTARTS = 2;

/**
 * PM2 keeps restarting it, has given up, or could not start it. PM2's counters alone do not prove a loop: they also
 * count requested restarts, and a start after a stop keeps them. A job or a task ends by itself.
 */
export function isFailing(record: ProcessRecord, epochMs: number, stateOf: StateOf): boolean {
  const { status, declaration } = record;
  if (appKind(declaration.settings) !== "service") return false;
  if (status === "errored" || status === "waiting restart") return true;
  if (status === "stopped") return isEnding(record);
  return isWithoutPid(record) || stateOf(record).isBrief === true || isUnstable(record, epochMs);
}

function isUnstable({ unstableRestarts, lastStartAt }: ProcessRecord, epochMs: number): boolean {
  return unstableRestarts >= MIN_UNSTABLE_RESTARTS && lastStartAt !== null && epochMs - lastStartAt <= MAX_SHORT_RUN_MS;
}

/** Explains a limit of the system that an error log names only by a code. */
interface LimitRule {
  readonly pattern: RegExp;
  readonly text: (limits: SystemLimits) => string | undefined;
}

/** The first that matches a line explains it. */
const RULES: readonly LimitRule[] = [
  {
    pattern: /\bEMFILE\b.*, watch\b/,
    text: ({ inotifyInstances: max }) =>
      `EMFILE of a watch: its user has as many inotify instances as it may${allowed(max)} (fs.inotify.max_user_instances).`,
  },
  {
    pattern: /\bENOSPC\b.*(?:file watchers|, watch\b)/,
    text: ({ inotifyWatches: max }) =>
      `ENOSPC of a watch: its user watches as many files as it may${allowed(max)} (fs.inotify.max_user_watches). The disk is not the reason.`,
  },
  {
    pattern: /\bEMFILE\b/,
    text: ({ openFiles: max }) => `EMFILE: it had as many files and sockets open as it may${allowed(max)} (ulimit -n).`,
  },
  {
    pattern: /\bENFILE\b/,
    text: () => "ENFILE: the machine had as many files open as it may (fs.file-max).",
  },
  {
    pattern: /\bspawn\b.*\bEAGAIN\b|\bfork: .*(?:Resource temporarily unavailable)|Cannot fork\b/,
    text: ({ processes: max }) =>
      `EAGAIN: no further process could be started: its user has as many as it may${allowed(max)} (ulimit -u), or its control group (pids.max).`,
  },
  {
    pattern: /Array buffer allocation failed|\bENOMEM\b|Cannot allocate memory/,
    // Without this limit, the machine or the control group may have had no memory, and nothing here shows that.
    text: ({ addressSpace: max }) =>
      max === null || max === "unlimited"
        ? undefined
        : `It may use ${max} bytes of address space (ulimit -v), which the system may have refused to exceed.`,
  },
];

function allowed(max: string | null): string {
  return max === null ? "" : `, ${max}`;
}

/** By the newest line that names one. */
function reachedLimit(errorLines: readonly string[], limits: SystemLimits): string[] {
  for (const line of errorLines.toReversed()) {
    const text = RULES.find(({ pattern }) => pattern.test(line))?.text(limits);
    if (text !== undefined) return [text];
  }
  return [];
}
