import type { FileError } from "./ports.ts";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { identifyProcess, type UniqueProcess } from "./proc.ts";
import { attempt, fileError, unlink } from "./system.ts";
import {
  type Contender,
  type Holder,
  judgeHolder,
  lockName,
  newNonce,
  type Outcome,
  readHolder,
  removeLeftovers,
  serializeHolder,
  tagOf,
  tryAcquire,
} from "./takeover.ts";

export interface LockedFile {
  readonly target: string;
  /** The path for messages, before links are resolved. */
  readonly path: string;
}

export interface FileLocks {
  /**
   * The nonce is for names of temporary files. The signal ends the wait, and not the work.
   * @throws {FileError} ELOCKED if the lock is not released in time, or before the signal
   */
  withLock<T>(file: LockedFile, work: (nonce: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Memory {
  /** Because this process is alive, others would wait for these nonces. */
  readonly abandoned: Set<string>;
  readonly cleaned: Set<string>;
}

/** Lock files are not synced: no holder survives a crash of the machine. */
export function fileLocks({ timeoutMs = 10_000 }: { timeoutMs?: number } = {}): FileLocks {
  const waitForTurn = createQueue();
  const memory: Memory = { abandoned: new Set(), cleaned: new Set() };
  let self: Promise<UniqueProcess> | undefined;

  return {
    async withLock(file, work, signal) {
      const deadline = { atMs: performance.now() + timeoutMs, signal };
      const endTurn = await waitForTurn(file.target, deadline);
      if (endTurn === undefined) throw lockedError(file, process.pid);
      try {
        self ??= identifyProcess();
        const contender = createContender(file.target, await self, memory);
        const wasFree = await attempt("lock", file.path, () => acquire(contender, file, deadline));
        return await runLocked(contender, wasFree, work);
      } finally {
        endTurn();
      }
    },
  };
}

/** When the lock was taken, in milliseconds since 1970; null if no process holds it. */
export async function lockedSince(target: string): Promise<number | null> {
  const holder = await readHolder(lockName(target));
  if (holder === undefined || (await judgeHolder(holder, await identifyProcess())) === "dead") return null;
  return holder.since;
}

interface LocalContender extends Contender {
  readonly target: string;
  readonly memory: Memory;
}

function createContender(target: string, self: UniqueProcess, memory: Memory): LocalContender {
  const nonce = newNonce();
  return {
    target,
    memory,
    lock: lockName(target),
    nonce,
    content: serializeHolder(nonce, self),
    judge: async (holder) => (memory.abandoned.has(holder.nonce) ? "dead" : await judgeHolder(holder, self)),
  };
}

/** Returns true if the lock was free at once. */
async function acquire(contender: LocalContender, file: LockedFile, deadline: Deadline): Promise<boolean> {
  for (let attempts = 0; ; attempts++) {
    const outcome = await tryOrAbandon(contender);
    if (outcome === "acquired") return attempts === 0;
    if (outcome === "taken-over") return false;
    if (isOver(deadline)) throw lockedError(file, outcome === "changed" ? undefined : outcome);
    if (outcome !== "changed") await pause(attempts, deadline);
  }
}

/** A failed system call may still have taken effect, so no process may wait for this nonce. */
async function tryOrAbandon(contender: LocalContender): Promise<Outcome> {
  try {
    return await tryAcquire(contender);
  } catch (error) {
    contender.memory.abandoned.add(contender.nonce);
    throw error;
  }
}

async function runLocked<T>(
  { target, lock, nonce, memory }: LocalContender,
  wasFree: boolean,
  work: (nonce: string) => Promise<T>,
): Promise<T> {
  // A killed process leaves files behind. If the lock was free, one cleaning per process is enough.
  const isClean = wasFree && memory.cleaned.has(target);
  memory.cleaned.add(target);
  const cleaning = isClean ? undefined : removeLeftovers(target, nonce);
  try {
    return await work(nonce);
  } finally {
    await cleaning;
    await unlink(lock).catch(() => memory.abandoned.add(nonce));
  }
}

function lockedError(file: LockedFile, holder: Holder | number | undefined): FileError {
  const lock = lockName(file.target);
  const reason = `${holderText(holder)} holds ${lock}. svcm takes over the lock of a process that has ended on this machine; if it ended elsewhere, remove the file`;
  return fileError("ELOCKED", "lock", file.path, reason);
}

function holderText(holder: Holder | number | undefined): string {
  if (typeof holder === "number") return `this process (${holder})`;
  if (holder === undefined || holder.process === null) return "another process";
  const since = Number.isFinite(holder.since) ? ` since ${new Date(holder.since).toISOString()}` : "";
  const where = holder.process.host === tagOf(hostname()) ? hostname() : "another machine or container";
  return `process ${holder.process.pid} on ${where}${since}`;
}

interface Deadline {
  /** Of `performance.now()`. */
  readonly atMs: number;
  readonly signal: AbortSignal | undefined;
}

function isOver({ atMs, signal }: Deadline): boolean {
  return performance.now() >= atMs || signal?.aborted === true;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

async function pause(attempts: number, { atMs, signal }: Deadline): Promise<void> {
  const longestMs = Math.min(2 * 1.5 ** attempts, 25);
  const ms = Math.min(longestMs * (0.5 + Math.random() / 2), atMs - performance.now());
  await delay(Math.max(ms, 0), undefined, signal && { signal }).catch(() => undefined);
}

async function isInTime(event: Promise<void>, { atMs, signal }: Deadline): Promise<boolean> {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const ms = Math.min(Math.max(atMs - performance.now(), 0), MAX_TIMER_MS);
  try {
    return await Promise.race([event.then(() => true), delay(ms, false, { signal: either }).catch(() => false)]);
  } finally {
    stop.abort();
  }
}

/** Resolves with a function that ends the turn; with `undefined` at the deadline. */
type WaitForTurn = (key: string, deadline: Deadline) => Promise<(() => void) | undefined>;

function createQueue(): WaitForTurn {
  const tails = new Map<string, Promise<void>>();

  return async (key, deadline) => {
    const before = tails.get(key);
    let endTurn!: () => void;
    const turn = new Promise<void>((resolve) => (endTurn = resolve));
    const tail = before === undefined ? turn : before.then(() => turn);
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    try {
      if (before === undefined || (await isInTime(before, deadline))) return endTurn;
    } catch (error) {
      endTurn();
      throw error;
    }
    endTurn();
    return undefined;
  };
}
