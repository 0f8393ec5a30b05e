import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { HasClock, ProcessTrees, HasMachine } from "../files/ports.ts";
import type { TcpSocket } from "../files/reading.ts";
import type { ErrorTail } from "../logs/error-block.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { once } from "../words/once.ts";
import { appKind } from "./code-evidence.ts";
import {
  loadErrorOf,
  describeHung,
  hasFailedStart,
  hasLoadError,
  MAY_NOT_LOAD,
  MIN_LOADING_MS,
  mayNotBeLoaded,
  notLoadedFacts,
  isSilentWorker,
  SILENT_WORKER,
  unseenErrors,
  stillWaiting,
  waitingSockets,
  type HeldSockets,
  type ServingFacts,
  type ServingTree,
  type StartedTree,
} from "./serving.ts";

export type ServingPorts = HasClock & HasMachine & HasProcessLogs;

/** When the process with this id was first seen to hang, by the clock; each look since then found the same. */
export type HungSince = ReadonlyMap<number, number>;

/** Longer than a server is busy without taking a connection. */
const HUNG_MS = 2000;
/** Of a process that was hung at the last look. */
const STILL_HUNG_MS = 300;
/** Before a step ends a process: one that computes for some seconds answers as little as one that hangs. */
const SECOND_LOOK_MS = 10_000;
export const LOOK_MS = 100;
const NO_KERNEL = "this system does not show whether a process answers";
const HIDDEN = "it cannot be seen from here whether the process answers";

/**
 * By PM2 id, what sockets say about services that PM2 calls online. Waits only while something waits for one of them. Empty
 * where the system does not show it.
 */
export async function readServing(
  ports: ServingPorts,
  records: readonly ProcessRecord[],
  hungSince: HungSince = new Map(),
): Promise<ReadonlyMap<number, ServingFacts>> {
  const services = records.filter(isOnlineService);
  if (services.length === 0) return new Map();
  const kernel = await ports.machine.openTrees();
  if (kernel === undefined) return new Map(services.map(({ pmId }) => [pmId, { unseen: NO_KERNEL }]));
  const trees = readTrees(kernel, services);
  const limitOf = ({ pid }: ServingTree): number => (hungSince.has(pid) ? STILL_HUNG_MS : HUNG_MS);
  const hung = await readHung(ports, kernel, trees, { limitOf, hungSince });
  const facts = new Map<number, ServingFacts>([...hung].map(([pmId, sentence]) => [pmId, { hung: sentence }]));
  const sockets = kernel.tcpSockets();
  for (const { record, pid } of trees)
    if (!hung.has(record.pmId) && !kernel.shows(pid)) facts.set(record.pmId, { unseen: HIDDEN });
  for (const { pmId, isElsewhere } of services) if (isElsewhere === true) facts.set(pmId, { unseen: HIDDEN });
  for (const tree of trees.filter(({ record }) => !hung.has(record.pmId))) {
    const found = await readNotLoaded(ports, sockets, tree);
    if (found !== undefined) facts.set(tree.record.pmId, found);
  }
  return facts;
}

/** See `StartedTree`. Empty where the system does not show them. */
export async function readListeners(ports: HasMachine): Promise<ReadonlySet<string>> {
  const sockets = (await ports.machine.openTrees())?.tcpSockets() ?? [];
  return new Set(sockets.flatMap(({ inode, isListening }) => (isListening ? [inode] : [])));
}

export interface Circumstances extends Pick<StartedTree, "start" | "listeners"> {
  /** Only what leaves no doubt: something else says that it serves. */
  readonly isProbed?: boolean;
}

/**
 * True if what an online process wrote ends with an error of its start, and nothing shows that it serves. Waits until that
 * is certain, but only where the error gives a reason.
 */
export async function hasFailedToLoad(
  ports: ServingPorts & HasProcesses,
  record: ProcessRecord,
  { isProbed = false, ...circumstances }: Circumstances,
): Promise<boolean> {
  for (;;) {
    const kernel = await ports.machine.openTrees();
    const [tree] = kernel === undefined ? [] : readTrees(kernel, [record]);
    const tail = await readErrors(ports, record);
    if (kernel === undefined || tree === undefined || tail === undefined) return false;
    const error = loadErrorOf(tail.lines);
    if (isProbed && error !== "module") return false;
    const started = { ...tree, ...circumstances };
    const sockets = kernel.tcpSockets();
    const hasFailed = (epochMs: number): boolean =>
      hasLoadError(record, { tail, epochMs }) && hasFailedStart(started, error, { sockets, epochMs });
    const nowMs = ports.clock.now();
    if (!hasFailed(nowMs + MIN_LOADING_MS)) return false;
    if (hasFailed(nowMs)) return true;
    await ports.clock.sleep(LOOK_MS);
  }
}

/** From PM2's bus, while svcm listens: a log may be `/dev/null`, or on a full disk. */
async function readErrors(
  { processes, processLogs }: HasProcesses & HasProcessLogs,
  record: ProcessRecord,
): Promise<ErrorTail | undefined> {
  const written = await processes.writtenErrors(record).catch(() => undefined);
  if (written !== undefined && written.lines.length > 0) return written;
  return await processLogs.readErrorTail(record).catch(() => undefined);
}

/** Looks at hung processes for longer. Ends as soon as one of them takes what waits for it. */
export async function doAllHang(ports: ServingPorts, records: readonly ProcessRecord[]): Promise<boolean> {
  const kernel = await ports.machine.openTrees();
  if (kernel === undefined) return false;
  const isOver = ({ length }: readonly Suspect[]): boolean => length < records.length;
  const hung = await readHung(ports, kernel, readTrees(kernel, records), { limitOf: () => SECOND_LOOK_MS, isOver });
  return hung.size === records.length;
}

export function isOnlineService({ status, pid, declaration }: ProcessRecord): boolean {
  return status === "online" && pid !== null && appKind(declaration.settings) === "service";
}

/** Reads the descriptors of a tree only where they are needed. */
export function readTrees(kernel: ProcessTrees, services: readonly ProcessRecord[]): readonly ServingTree[] {
  const activity = kernel.activity(services.flatMap(({ pid }) => pid ?? []));
  return services.flatMap((record): ServingTree[] => {
    const { pid, isElsewhere } = record;
    if (pid === null || isElsewhere === true) return [];
    const daemon = record.execMode === "cluster" ? activity.get(pid)?.parentPid : undefined;
    return [
      {
        record,
        pid,
        heldByItself: once(() => readHeld(kernel, [pid])),
        held: once(() => readHeld(kernel, [pid, ...(kernel.descendants([pid]).get(pid) ?? [])])),
        heldByDaemon: once(() => readHeld(kernel, daemon === undefined ? [] : [daemon])),
      },
    ];
  });
}

function readHeld(kernel: ProcessTrees, pids: readonly number[]): HeldSockets {
  const read = pids.map((pid) => kernel.socketInodes(pid));
  const inodes = new Set(read.flatMap((one) => [...(one ?? [])]));
  return { inodes, isComplete: pids.length > 0 && !read.includes(undefined) };
}

interface Suspect {
  readonly tree: ServingTree;
  /** At all looks until now. */
  readonly isSuspended: boolean;
  readonly calls: number | undefined;
  /** At the first look. */
  readonly first: readonly TcpSocket[];
  /** Those that have waited until the last look. */
  readonly sockets: readonly TcpSocket[];
}

interface HungLook {
  readonly limitOf: (tree: ServingTree) => number;
  readonly isOver?: (suspects: readonly Suspect[]) => boolean;
  readonly hungSince?: HungSince;
}

async function readHung(
  { clock }: ServingPorts,
  kernel: ProcessTrees,
  trees: readonly ServingTree[],
  { limitOf, isOver = ({ length }) => length === 0, hungSince }: HungLook,
): Promise<ReadonlyMap<number, string>> {
  const startedMs = clock.elapsed();
  const first = findSuspects(kernel, trees);
  const limitMs = Math.max(0, ...first.map(({ tree }) => limitOf(tree)));
  let suspects = first;
  let ms = 0;
  while (!isOver(suspects) && ms < limitMs) {
    await clock.sleep(LOOK_MS);
    suspects = lookAgain(kernel, suspects);
    ms = clock.elapsed() - startedMs;
  }
  return new Map(
    suspects.flatMap(({ tree: { record, pid }, sockets, isSuspended }): [number, string][] => {
      const sentence = describeHung({ sockets, isSuspended, ms, sinceMs: hungSince?.get(pid) });
      return sentence === undefined ? [] : [[record.pmId, sentence]];
    }),
  );
}

function findSuspects(kernel: ProcessTrees, trees: readonly ServingTree[]): Suspect[] {
  const sockets = kernel.tcpSockets();
  const isAnyWaiting = sockets.some(({ waiting }) => waiting > 0);
  const activity = kernel.activity(trees.map(({ pid }) => pid));
  return trees.flatMap((tree): Suspect[] => {
    const { isSuspended = false, mayBeIdle = true } = activity.get(tree.pid) ?? {};
    const waiting = isAnyWaiting ? waitingSockets(tree, sockets, mayBeIdle) : [];
    if (!isSuspended && waiting.length === 0) return [];
    return [{ tree, isSuspended, calls: kernel.countCalls(tree.pid), first: waiting, sockets: waiting }];
  });
}

/**
 * An app does not read a paused stream either, but then its event loop waits for other events, or reads and writes. On a busy
 * machine a blocked one gets little CPU, and in a synchronous call it uses none.
 */
function lookAgain(kernel: ProcessTrees, suspects: readonly Suspect[]): Suspect[] {
  const now = kernel.tcpSockets();
  const activity = kernel.activity(suspects.map(({ tree }) => tree.pid));
  return suspects.flatMap((suspect): Suspect[] => {
    const { tree, first, calls } = suspect;
    const { isSuspended: isStopped = false, mayBeIdle = true } = activity.get(tree.pid) ?? {};
    const isSuspended = suspect.isSuspended && isStopped;
    const mayBeBlocked = !mayBeIdle && kernel.countCalls(tree.pid) === calls;
    const still = stillWaiting(suspect.sockets, now, first);
    const sockets = still.filter(({ isListening }) => isListening || mayBeBlocked);
    return isSuspended || sockets.length > 0 ? [{ ...suspect, isSuspended, sockets }] : [];
  });
}

/** An error may be one that the app handles, so within the time of a start it proves nothing. */
async function readNotLoaded(
  ports: ServingPorts,
  sockets: readonly TcpSocket[],
  tree: ServingTree,
): Promise<ServingFacts | undefined> {
  const epochMs = ports.clock.now();
  if (!isInLoadingTime(tree.record, epochMs)) return await readLoadFacts(ports, sockets, tree, epochMs);
  const later = await readLoadFacts(ports, sockets, tree, epochMs + MIN_LOADING_MS);
  const hasNoLog = later?.unseen !== undefined && later.unseen === unseenErrors(tree.record)?.unseen;
  return later === undefined || hasNoLog ? undefined : MAY_NOT_LOAD;
}

/** The log is read first where no port is declared: it costs less than the descriptors, and seldom ends with an error. */
async function readLoadFacts(
  { processLogs }: ServingPorts,
  sockets: readonly TcpSocket[],
  tree: ServingTree,
  epochMs: number,
): Promise<ServingFacts | undefined> {
  const { record } = tree;
  const isSilent = (): boolean => mayNotBeLoaded(tree, { sockets, epochMs });
  const hasPort = (record.listenPorts ?? []).length > 0;
  const isServed = hasPort && !isSilent();
  if (isServed && !isSilentWorker(tree, { sockets, epochMs })) return undefined;
  const tail = await processLogs.readErrorTail(record).catch(() => undefined);
  if (tail === undefined) return isServed ? undefined : unseenErrors(record);
  if (!hasLoadError(record, { tail, epochMs })) return undefined;
  if (isServed) return loadErrorOf(tail.lines) === "module" ? SILENT_WORKER : undefined;
  return isSilent() ? notLoadedFacts(record) : undefined;
}

export function isInLoadingTime({ lastStartAt }: Pick<ProcessRecord, "lastStartAt">, epochMs: number): boolean {
  return lastStartAt !== null && epochMs - lastStartAt < MIN_LOADING_MS;
}
