import { basename, dirname, join } from "node:path";
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
import { isOver, type Patience, patience, pause, turns } from "./patience.ts";
import { type Contender, contend, type Outcome, claimName, lockName, temporaryName } from "./succession.ts";
import { discard, readdir, unlink } from "./system.ts";

export interface Guarded {
  readonly target: string;
  readonly path: string;
}

export interface FileLocks {
  /**
   * Runs `work` while no other call, in any process, holds the lock of the file. The nonce names temporary files.
   * @throws {FileError} ELOCKED if the lock does not become free in time
   */
  hold<T>(file: Guarded, work: (nonce: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Memory {
  /** Nonces of locks that could not be removed. Others would wait for them, because this process is alive. */
  readonly abandoned: Set<string>;
  readonly swept: Set<string>;
}

/**
 * A lock names its process. If that process is dead, the next one takes over immediately. Calls of one process queue
 * instead of polling. Lock files are not synced, because every holder is dead after a crash of the machine.
 */
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

/** When the living holder of a lock took it, in milliseconds since 1970; null if the lock is free. */
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

/** A failed system call may have had its effect, so nothing may wait for this nonce. */
async function contendOrAbandon(us: Ourselves): Promise<Outcome> {
  try {
    return await contend(us);
  } catch (error) {
    us.memory.abandoned.add(us.nonce);
    throw error;
  }
}

/** Sweeping runs beside the work and cannot fail it. */
async function holding<T>(us: Ourselves, wasFree: boolean, work: (nonce: string) => Promise<T>): Promise<T> {
  const tidied = tidy(us, wasFree);
  try {
    return await work(us.nonce);
  } finally {
    await tidied;
    await unlink(us.lock).catch(() => us.memory.abandoned.add(us.nonce));
  }
}

/** A killed process leaves files behind. If the lock was free, one sweep in the lifetime of this process is enough. */
async function tidy(us: Ourselves, wasFree: boolean): Promise<void> {
  if (wasFree && us.memory.swept.has(us.target)) return;
  us.memory.swept.add(us.target);
  await sweep(us.target, us.nonce);
}

/**
 * Removes temporary files and claims of killed processes, except those with the own nonce. Only the holder of the lock
 * may call it: then no other process has temporary files, and no claim is valid (see `succession.ts`).
 */
async function sweep(target: string, ownNonce: string): Promise<void> {
  const folder = dirname(target);
  const scratch = [temporaryName(target, ""), claimName(lockName(target), "")];
  const prefixes = scratch.map((path) => basename(path));
  // If the folder cannot be listed, the files stay and the write continues.
  const names = await readdir(folder).catch(() => []);
  const litter = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes(ownNonce));
  await Promise.all(litter.map((name) => discard(join(folder, name))));
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
