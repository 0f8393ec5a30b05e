import { setTimeout as delay } from "node:timers/promises";
import type { FileError } from "../../ports/index.ts";
import { attempting, refuse } from "./file-error.ts";
import {
  type Holder,
  judge,
  newNonce,
  type ProcessIdentity,
  readHolder,
  serializeHolder,
  thisProcess,
} from "./holder.ts";
import { contend, type Contender, lockName, type Outcome, sweep } from "./succession.ts";
import { unlink } from "./system.ts";

export interface Guarded {
  readonly target: string;
  readonly path: string;
}

export interface FileLocks {
  /** The nonce is for names of temporary files. @throws {FileError} ELOCKED if the lock is not released in time */
  hold<T>(file: Guarded, work: (nonce: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Memory {
  /** Because this process is alive, others would wait for these. */
  readonly abandoned: Set<string>;
  readonly swept: Set<string>;
}

/** Lock files are not synced: no holder survives a crash of the machine. */
export function fileLocks({ timeoutMs = 10_000 }: { timeoutMs?: number } = {}): FileLocks {
  const takeTurn = turns();
  const memory: Memory = { abandoned: new Set(), swept: new Set() };
  let self: Promise<ProcessIdentity> | undefined;

  return {
    async hold(file, work, signal) {
      const willing = patience(timeoutMs, signal);
      const leave = await takeTurn(file.target, willing);
      if (leave === undefined) throw locked(file, process.pid);
      try {
        self ??= thisProcess();
        const us = contender(file.target, await self, memory);
        const wasFree = await attempting("lock", file.path, () => acquire(us, file, willing));
        return await holding(us, wasFree, work);
      } finally {
        leave();
      }
    },
  };
}

export async function heldSince(target: string): Promise<number | null> {
  const holder = await readHolder(lockName(target));
  if (holder === undefined || (await judge(holder, await thisProcess())) === "dead") return null;
  return holder.since;
}

interface Ourselves extends Contender {
  readonly target: string;
  readonly memory: Memory;
}

function contender(target: string, self: ProcessIdentity, memory: Memory): Ourselves {
  const nonce = newNonce(self);
  return {
    target,
    memory,
    lock: lockName(target),
    nonce,
    content: serializeHolder(nonce, self),
    judge: async (holder) => (memory.abandoned.has(holder.nonce) ? "dead" : await judge(holder, self)),
  };
}

async function acquire(us: Ourselves, file: Guarded, willing: Patience): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await contendOrAbandon(us);
    if (outcome === "free") return attempt === 0;
    if (outcome === "succeeded") return false;
    if (isOver(willing)) throw locked(file, outcome === "moved" ? undefined : outcome);
    willing.signal?.throwIfAborted();
    if (outcome !== "moved") await pause(attempt, willing);
  }
}

/** A failed system call may still have taken effect, so no process may wait for this nonce. */
async function contendOrAbandon(us: Ourselves): Promise<Outcome> {
  try {
    return await contend(us);
  } catch (error) {
    us.memory.abandoned.add(us.nonce);
    throw error;
  }
}

async function holding<T>(us: Ourselves, wasFree: boolean, work: (nonce: string) => Promise<T>): Promise<T> {
  const tidied = tidy(us, wasFree);
  try {
    return await work(us.nonce);
  } finally {
    await tidied;
    await unlink(us.lock).catch(() => us.memory.abandoned.add(us.nonce));
  }
}

/** A killed process leaves files behind. If the lock was free, one sweep per process is enough. */
async function tidy(us: Ourselves, wasFree: boolean): Promise<void> {
  if (wasFree && us.memory.swept.has(us.target)) return;
  us.memory.swept.add(us.target);
  await sweep(us.target, us.nonce);
}

function locked(file: Guarded, by: Holder | number | undefined): FileError {
  const lock = lockName(file.target);
  const reason = `${whoHolds(by)} holds ${lock}; if that process no longer runs, remove the file`;
  return refuse("ELOCKED", "lock", file.path, reason);
}

function whoHolds(by: Holder | number | undefined): string {
  if (by === undefined) return "another process";
  if (typeof by === "number") return `this process (${by})`;
  if (by.process === null) return "another process";
  return `process ${by.process.pid} on ${by.process.host}`;
}

interface Patience {
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function patience(timeoutMs: number, signal?: AbortSignal): Patience {
  return { until: performance.now() + timeoutMs, signal };
}

const isOver = ({ until }: Patience): boolean => performance.now() >= until;

async function pause(attempt: number, { until, signal }: Patience): Promise<void> {
  const longest = Math.min(2 * 1.5 ** attempt, 25);
  const ms = Math.min(longest * (0.5 + Math.random() / 2), until - performance.now());
  await delay(Math.max(ms, 0), undefined, signal && { signal });
}

async function comesInTime(event: Promise<void>, { until, signal }: Patience) {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const ms = Math.min(Math.max(until - performance.now(), 0), LONGEST_TIMER_MS);
  try {
    return await Promise.race([event.then(() => true), delay(ms, false, { signal: either })]);
  } finally {
    stop.abort();
  }
}

/** Resolves with a function that ends the turn. */
type TakeTurn = (key: string, patience: Patience) => Promise<(() => void) | undefined>;

function turns(): TakeTurn {
  const tails = new Map<string, Promise<void>>();

  return async (key, willing) => {
    const before = tails.get(key);
    let leave!: () => void;
    const ours = new Promise<void>((resolve) => (leave = resolve));
    const tail = before === undefined ? ours : before.then(() => ours);
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    try {
      if (before === undefined || (await comesInTime(before, willing))) return leave;
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  };
}
