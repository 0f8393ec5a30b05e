import { type BigIntStats, statSync } from "node:fs";
import type { Files } from "../../ports/index.ts";
import { once } from "../../words/once.ts";
import type { AllowedFolders } from "./allowed-folders.ts";
import { refuse } from "./file-error.ts";
import type { FileLocks } from "./lock.ts";
import { putInPlace, writeLike } from "./put-in-place.ts";
import { readWhole, tooLarge } from "./read.ts";
import { fileState } from "./state.ts";

/** Attempts before another writer wins. */
const MAX_RUNS = 5;

/** Each run resolves the path again, because links may have moved. */
interface Run {
  readonly path: string;
  readonly target: string;
  readonly decide: (current: Uint8Array) => Uint8Array | undefined;
  readonly beforeWrite: () => Promise<void>;
  readonly maxBytes: number;
}

export interface Surroundings {
  readonly folders: AllowedFolders;
  readonly locks: FileLocks;
  readonly maxBytes: number;
}

export function replacer({ folders, locks, maxBytes }: Surroundings): Files["replace"] {
  return async (path, decide, beforeWrite) => {
    const announce = once(async () => beforeWrite?.());
    for (let run = 0; run < MAX_RUNS; run++) {
      const target = await folders.resolve(path);
      const plan = { path, target, decide, beforeWrite: announce, maxBytes };
      const content = await locks.hold({ target, path }, (nonce) => transact(plan, nonce));
      if (content !== undefined) return content;
    }
    throw refuse("ECHANGED", "write", path, "another program keeps changing it");
  };
}

/** The content in place; `undefined` if another program changed the file in between. */
async function transact(run: Run, nonce: string): Promise<Uint8Array | undefined> {
  const current = await readWhole(run.target, run.path, run.maxBytes);
  const next = run.decide(current.bytes);
  if (next === undefined) return current.bytes;
  if (next.length > run.maxBytes) throw tooLarge("write", run.path, run.maxBytes);
  requireWritable(current.stat, run.path);
  await run.beforeWrite();

  const write = (temporary: string): Promise<void> => writeLike(current.stat, temporary, next, run.path);
  const place = { target: run.target, path: run.path, nonce };
  return (await putInPlace(place, write, () => isUnchanged(run, current.stat))) ? next : undefined;
}

/** A rename needs only the folder's permission, and root needs none, so the file's mode is checked. */
function requireWritable({ mode }: BigIntStats, path: string): void {
  if ((mode & OWNER_MAY_WRITE) !== 0n) return;
  throw refuse("EACCES", "write", path, "its mode does not permit its owner to write; allow it with chmod u+w");
}

const OWNER_MAY_WRITE = 0o200n;

/** Every change saved until now is seen. The stat goes through the given path, so a moved link is seen, too. */
function isUnchanged({ path }: Run, seen: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && fileState(now) === fileState(seen);
}
