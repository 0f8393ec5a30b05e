/** Decides from sockets whether a process that PM2 calls online serves its port. */

import { lastErrorBlock, type ErrorTail, withoutPrefix } from "../logs/error-block.ts";
import type { TcpSocket } from "../files/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { formatSecond } from "../words/time.ts";
import type { ProcessFacts } from "./facts.ts";

export type ServingFacts = Pick<ProcessFacts, "hung" | "notLoaded" | "unseen">;

export interface HeldSockets {
  readonly inodes: ReadonlySet<string>;
  /** False if this user may not know all of them, or if a process has just ended. */
  readonly isComplete: boolean;
}

/** A process and its descendants. */
export interface ServingTree {
  readonly record: ProcessRecord;
  readonly pid: number;
  readonly held: () => HeldSockets;
  /** Without its descendants. */
  readonly heldByItself: () => HeldSockets;
  /** PM2's daemon listens for the workers of a cluster, and hands connections over. */
  readonly heldByDaemon: () => HeldSockets;
}

/** The sockets in which something waits for this process. @param mayBeIdle unread bytes then show only that it has paused */
export function waitingSockets(tree: ServingTree, sockets: readonly TcpSocket[], mayBeIdle: boolean): TcpSocket[] {
  const { record } = tree;
  const isHeld = ({ inode }: TcpSocket): boolean => tree.held().inodes.has(inode);
  const full = sockets.filter(({ waiting, isListening }) => waiting > 0 && (isListening || !mayBeIdle));
  if (record.execMode !== "cluster")
    return full.filter((socket) => (socket.isListening ? isHeld(socket) : isServedByNode(tree, socket, sockets)));
  const unread = full.filter(({ isListening }) => !isListening);
  const isHandedOver = ({ inode, port }: TcpSocket): boolean =>
    record.listenPorts?.includes(port) === true && tree.heldByDaemon().inodes.has(inode);
  return unread.filter((socket) => isHeld(socket) || isHandedOver(socket));
}

/**
 * Other programs may read in another thread than the one whose state is known. A connection that it has opened carries
 * responses only.
 */
function isServedByNode(
  { record, heldByItself }: ServingTree,
  { inode, port }: TcpSocket,
  sockets: readonly TcpSocket[],
): boolean {
  if (!/(?:^|\/)node$/.test(record.interpreter ?? "")) return false;
  const { inodes } = heldByItself();
  const isListener = (one: TcpSocket): boolean => one.isListening && one.port === port && inodes.has(one.inode);
  return inodes.has(inode) && sockets.some(isListener);
}

/**
 * Without the sockets from which something has been taken since. At a busy server whose clients come again at once, the
 * number of those that wait may stay the same, so a connection of the first look must still wait.
 */
export function stillWaiting(
  before: readonly TcpSocket[],
  now: readonly TcpSocket[],
  first: readonly TcpSocket[] = before,
): TcpSocket[] {
  const byInode = new Map(now.map((socket) => [socket.inode, socket]));
  const waited = new Set(first.flatMap(({ unaccepted }) => unaccepted));
  return before.flatMap(({ inode, waiting }) => {
    const socket = byInode.get(inode);
    if (socket === undefined || socket.waiting < waiting) return [];
    return !socket.isListening || socket.unaccepted.some((remote) => waited.has(remote)) ? [socket] : [];
  });
}

interface HungEvidence {
  /** Those in which the same, or more, has waited all the time. */
  readonly sockets: readonly TcpSocket[];
  /** At all looks. */
  readonly isSuspended: boolean;
  readonly ms: number;
  /** If earlier looks have found the same: the time of the first of them. */
  readonly sinceMs?: number | undefined;
}

/** A sentence about a process that has answered nothing for a while. */
export function describeHung(evidence: HungEvidence): string | undefined {
  const { sockets, isSuspended } = evidence;
  if (isSuspended) return "It is suspended, by a signal or a debugger, so it answers nothing.";
  const [socket] = sockets;
  if (socket === undefined) return undefined;
  return socket.isListening ? describeBacklog(socket, evidence) : describeBlocked(socket, evidence);
}

function describeBacklog({ port, waiting }: TcpSocket, evidence: HungEvidence): string {
  const [what, none] = waiting === 1 ? ["connection waits", "nothing"] : ["connections wait", "none of them"];
  return `${waiting} ${what} on port ${port}, and it has accepted ${none} ${span(evidence)}.`;
}

function describeBlocked({ port, waiting }: TcpSocket, evidence: HungEvidence): string {
  const [what, none] = waiting === 1 ? ["byte waits", "nothing"] : ["bytes wait", "none of them"];
  return `Its event loop is blocked: ${waiting} ${what} on port ${port}, and it has read ${none} ${span(evidence)}.`;
}

/** svcm does not look all the time, so a longer span is that of the looks. */
function span({ ms, sinceMs }: HungEvidence): string {
  return sinceMs === undefined ? `for ${(ms / 1000).toFixed(1)} s` : `at any look since ${formatSecond(sinceMs)}`;
}

/** An app may need longer than this, so the rest of the evidence counts, too. */
export const MIN_LOADING_MS = 10_000;
/** An error after this time has another cause than the start. */
const MAX_LOADING_MS = 60_000;

interface LoadEvidence {
  readonly sockets: readonly TcpSocket[];
  readonly tail: ErrorTail | undefined;
  readonly epochMs: number;
}

/**
 * Nothing of the tree listens, although it has had time to. A process with any connection has loaded at least a part, such as
 * a worker of a queue that got the variable as well. A worker of a cluster never listens itself.
 */
export function mayNotBeLoaded(tree: ServingTree, evidence: Omit<LoadEvidence, "tail">): boolean {
  const { listenPorts = [], execMode } = tree.record;
  if (!hasNoSocket(tree, evidence)) return false;
  if (execMode !== "cluster" || listenPorts.length === 0) return true;
  return tree.heldByDaemon().isComplete && !isPortServed(tree, evidence);
}

/** The others of its cluster serve the port, so only its error log can show that this worker does not. */
export function isSilentWorker(tree: ServingTree, evidence: Omit<LoadEvidence, "tail">): boolean {
  return tree.record.execMode === "cluster" && hasNoSocket(tree, evidence);
}

function hasNoSocket({ record, held }: ServingTree, { sockets, epochMs }: Omit<LoadEvidence, "tail">): boolean {
  const { lastStartAt } = record;
  if (lastStartAt === null || epochMs - lastStartAt < MIN_LOADING_MS) return false;
  const { inodes, isComplete } = held();
  return isComplete && !sockets.some(({ inode }) => inodes.has(inode));
}

function isPortServed({ record, heldByDaemon }: ServingTree, { sockets }: Pick<LoadEvidence, "sockets">): boolean {
  const { inodes } = heldByDaemon();
  return sockets.some(
    ({ inode, isListening, port }) => isListening && record.listenPorts?.includes(port) === true && inodes.has(inode),
  );
}

/** It does itself, or PM2's daemon does for its cluster. */
export function listensOnPort(tree: ServingTree, sockets: readonly TcpSocket[]): boolean {
  const { listenPorts = [], execMode } = tree.record;
  if (listenPorts.length === 0) return false;
  if (execMode === "cluster" && isPortServed(tree, { sockets })) return true;
  return sockets.some(
    ({ inode, isListening, port }) => isListening && listenPorts.includes(port) && tree.held().inodes.has(inode),
  );
}

/** PM2 does not notice a script that has failed to load: it swallows the error of an ES module. */
export function hasLoadError(
  { lastStartAt }: Pick<ProcessRecord, "lastStartAt">,
  { tail, epochMs }: Omit<LoadEvidence, "sockets">,
): boolean {
  if (tail === undefined || lastStartAt === null) return false;
  const { lines, writtenMs, outputMs = 0 } = tail;
  // An app that goes on writing has loaded, whatever failed at its start.
  if (outputMs > writtenMs) return false;
  const isOfStart = writtenMs >= lastStartAt && writtenMs - lastStartAt <= MAX_LOADING_MS;
  const isOver = epochMs - writtenMs >= MIN_LOADING_MS;
  return isOfStart && isOver && lastErrorBlock(lines.map((text) => ({ text }))).hasError;
}

/** The start that the gate looks at. */
export interface StartedTree extends ServingTree {
  /** `first`: nothing of its app ran. `added`: beside others of its app. `renewed`: its former run had no such error. */
  readonly start: "first" | "added" | "renewed";
  /** Inodes of the listening sockets of the machine before the start. */
  readonly listeners: ReadonlySet<string>;
}

/**
 * Of a process whose error log ends with an error of its start. PM2's daemon listens for all workers of an app, so only a
 * new listener proves that this worker serves.
 */
export function hasFailedStart(tree: StartedTree, error: LoadError, evidence: Omit<LoadEvidence, "tail">): boolean {
  const { start, listeners, record } = tree;
  const daemon = record.execMode === "cluster" ? tree.heldByDaemon() : NO_SOCKETS;
  if (!daemon.isComplete || !hasNoSocket(tree, evidence)) return false;
  const served = evidence.sockets.filter(({ inode, isListening }) => isListening && daemon.inodes.has(inode));
  if (served.some(({ inode }) => !listeners.has(inode))) return false;
  if (error === "module") return true;
  if (start === "renewed") return mayNotBeLoaded(tree, evidence) && !(error === "handled" && mayServe(record, served));
  return start === "first" && error === "rejection" && !isPortServed(tree, evidence);
}

/** One of the listeners may be that of the app, whose port is not declared. */
function mayServe({ listenPorts = [] }: ProcessRecord, served: readonly TcpSocket[]): boolean {
  return listenPorts.length === 0 && served.length > 0;
}

const NO_SOCKETS: HeldSockets = { inodes: new Set(), isComplete: true };

const START_ERROR = "its error log ends with an error of this start";

/** Without a declared port it may be an app that needs no connection, or PM2 listens for it. */
export function notLoadedFacts({ listenPorts = [], execMode }: ProcessRecord): ServingFacts {
  const error = START_ERROR;
  if (listenPorts.length === 0)
    return execMode === "cluster" ? SILENT_WORKER : { unseen: `${error}, and it has no connection` };
  const ports = portsText(listenPorts);
  return { notLoaded: `I${error.slice(1)}, and it does not listen on ${ports}. It has no connection at all.` };
}

/** It may be an error that the app handles. */
export const MAY_NOT_LOAD: ServingFacts = { unseen: `${START_ERROR}, and it has no connection yet` };

export const SILENT_WORKER: ServingFacts = { unseen: `${START_ERROR}, and its worker has no connection` };

/** Nothing of it listens, and its error log is `/dev/null`, was removed, or may not be read. */
export function unseenErrors({ listenPorts = [] }: ProcessRecord): ServingFacts | undefined {
  if (listenPorts.length === 0) return undefined;
  return { unseen: `it has no connection, does not listen on ${portsText(listenPorts)}, and has no error log to read` };
}

export function noLongerServed({ listenPorts = [] }: ProcessRecord): string {
  return `nothing of it listens on ${portsText(listenPorts)}, and before this apply something did`;
}

function portsText(ports: readonly number[]): string {
  return ports.length === 1 ? `port ${ports[0]}` : `the ports ${ports.join(", ")}`;
}

/**
 * `module`: the module or one of its imports was not loaded. `rejection`: no code handled it, so Node.js alone would have
 * ended. `handled`: the program wrote it by itself, so it has loaded.
 */
export type LoadError = "module" | "rejection" | "handled";

/** PM2 writes it in cluster mode, and keeps the worker. */
const ANNOUNCEMENT = /^You have triggered an unhandledRejection, /;
const FRAME = /^\s+at /;
/** Code of a module that is in no function, and Node.js where it loads modules. */
const OF_MODULE = /^\s+at (?:async )?(?:file:\/\/\S+|Object\.<anonymous> \(.+\)|.*\(?node:internal\/modules\/.+)$/;
const GOES_ON = /^(?:\s|[}\]]|$)/;

/** @param lines the end of an error log, oldest first, with an error */
export function loadErrorOf(lines: readonly string[]): LoadError {
  const texts = lines.map((line) => withoutPrefix(line));
  const at = texts.findLastIndex((line) => ANNOUNCEMENT.test(line));
  if (at === -1) return "handled";
  const block = texts.slice(at + 1);
  const frameAt = block.findIndex((line) => FRAME.test(line));
  if (frameAt === -1) return "rejection";
  const stack = block.slice(frameAt);
  // The program has written something since.
  if (!stack.every((line) => GOES_ON.test(line))) return "handled";
  return OF_MODULE.test(stack[0] ?? "") ? "module" : "rejection";
}
