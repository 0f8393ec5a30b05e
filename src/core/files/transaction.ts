import type { Files } from "./port-files.ts";
import { type BigIntStats, lstatSync, statSync } from "node:fs";

import { once } from "../words/once.ts";
import { fileError, tooLargeError } from "./file-error.ts";
import type { FileLocks } from "./lock.ts";
import { type AllowedFolders, readSnapshot } from "./read.ts";
import { fileState } from "./system.ts";
import { putInPlace, writeNew, writeWithOwner } from "./write.ts";

const MAX_ATTEMPTS = 5;
const NEW_FILE_MODE = 0o666;
const OWNER_MAY_WRITE = 0o200n;

type Decide = Parameters<Files["replace"]>[1];

export interface WriteContext {
  readonly folders: AllowedFolders;
  readonly locks: FileLocks;
  readonly maxBytes: number;
}

export async function replace(
  { folders, locks, maxBytes }: WriteContext,
  path: string,
  decide: Decide,
  beforeWrite?: () => Promise<void>,
): Promise<Uint8Array> {
  const announce = once(async () => beforeWrite?.());
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Links may have moved since the previous attempt.
    const target = await folders.resolve(path);
    const transaction = { path, target, decide, beforeWrite: announce, maxBytes };
    const content = await locks.withLock({ target, path }, (nonce) => transact(transaction, nonce));
    if (content !== undefined) return content;
  }
  throw fileError("ECHANGED", "write", path, "another program keeps changing it");
}

interface Transaction {
  readonly path: string;
  readonly target: string;
  readonly decide: Decide;
  readonly beforeWrite: () => Promise<void>;
  readonly maxBytes: number;
}

async function transact(transaction: Transaction, nonce: string): Promise<Uint8Array | undefined> {
  const { path, target, maxBytes } = transaction;
  const { bytes, stat } = await readSnapshot(target, path, maxBytes);
  const next = transaction.decide(bytes);
  if (next === undefined) return bytes;
  if (next.length > maxBytes) throw tooLargeError("write", path, maxBytes);
  requireWritable(stat, path);
  await transaction.beforeWrite();

  const write = (temporary: string): Promise<void> => writeWithOwner(temporary, next, stat, path);
  return (await putInPlace({ target, path, nonce }, write, () => isUnchanged(path, stat))) ? next : undefined;
}

/** A rename needs only permission for the folder, and root needs none at all. */
function requireWritable({ mode }: BigIntStats, path: string): void {
  if ((mode & OWNER_MAY_WRITE) !== 0n) return;
  throw fileError("EACCES", "write", path, "its mode does not permit its owner to write; allow it with chmod u+w");
}

/** @param path before links are resolved, so that a moved link counts as a change */
function isUnchanged(path: string, before: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && fileState(now) === fileState(before);
}

export async function create(
  { folders, locks, maxBytes }: WriteContext,
  path: string,
  content: Uint8Array,
  beforeWrite?: () => Promise<void>,
): Promise<void> {
  if (content.length > maxBytes) throw tooLargeError("write", path, maxBytes);
  const target = await folders.resolveNew(path);
  await locks.withLock({ target, path }, async (nonce) => {
    requireMissing(target, path);
    await beforeWrite?.();
    await putInPlace(
      { target, path, nonce },
      (temporary) => writeNew(temporary, content, NEW_FILE_MODE),
      () => requireMissing(target, path),
    );
  });
}

function requireMissing(target: string, path: string): true {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return true;
  throw fileError("EEXIST", "create", path, "it exists");
}
