import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, type UniqueProcess } from "../../src/core/files/proc.ts";
import { fileLocks } from "../../src/core/files/lock.ts";
import { lockName, newNonce, serializeHolder } from "../../src/core/files/takeover.ts";
import { type Child, commandLine, start } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const SELF = await identifyProcess();
export const NOBODYS_PID = 2 ** 22 + 1;

/** A file to lock. Each call of `hold` uses a new instance, as if it came from another process. */
export function lockPlace(timeoutMs = 60_000) {
  const folder = temporaryFolder();
  const target = join(folder, ".env");
  writeFileSync(target, "");
  return {
    target,
    lock: lockName(target),
    hold: <T>(work: () => Promise<T>) => fileLocks({ timeoutMs }).withLock({ target, path: "as/given" }, work),
    names: () => readdirSync(folder).toSorted(),
  };
}

/** Leaves a lock or claim of a process that differs from this one in the given properties. */
export function leave(place: string, difference: Partial<UniqueProcess>, since?: number): string {
  const nonce = newNonce();
  symlinkSync(serializeHolder(nonce, { ...SELF, ...difference }, since), place);
  return nonce;
}

/** Processes that try to take the lock at the same time, when all of them are ready. */
export async function startTogether(count: number, ...args: string[]): Promise<Child[]> {
  const children = Array.from({ length: count }, () => start(commandLine("hold-and-die", ...args)));
  await Promise.all(children.map((child) => child.line()));
  for (const child of children) child.send("go");
  return children;
}
