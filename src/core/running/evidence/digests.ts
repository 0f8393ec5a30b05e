import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import type { WalkedEntry } from "./walk.ts";

/** A write within this time of another one may leave the same times. */
const SETTLED_MS = 100;

/** Names a file's content; a later file with the same tag has the same content. */
export type DigestCache = ReadonlyMap<string, readonly [tag: string, digest: string]>;

interface Digested {
  readonly digest: string;
  /** `undefined` if the file changed too recently to be recognised by its times. */
  readonly tag: string | undefined;
}

/** Digests of one folder's files, each computed once, and kept from one command to the next. */
export class Digester {
  readonly #readCache: () => DigestCache;
  readonly #digests = new Map<string, Digested>();
  #cache: DigestCache | undefined;

  constructor(readCache: () => DigestCache) {
    this.#readCache = readCache;
  }

  get #before(): DigestCache {
    return (this.#cache ??= this.#readCache());
  }

  /** As Git's id of a blob, so that it can be compared with a commit. @throws a system error */
  digest(entry: WalkedEntry): string {
    const found = this.#digests.get(entry.path) ?? digestEntry(entry, this.#before);
    this.#digests.set(entry.path, found);
    return found.digest;
  }

  /** The digests that are worth keeping; `undefined` if nothing is new. */
  get cache(): DigestCache | undefined {
    // If nothing is newer than the start, no digest is needed.
    if (this.#digests.size === 0) return undefined;
    const settled = [...this.#digests].flatMap(([path, { tag, digest }]) =>
      tag === undefined ? [] : [[path, [tag, digest]] as const],
    );
    const isNew = settled.some(([path, [tag]]) => this.#before.get(path)?.[0] !== tag);
    return isNew || settled.length < this.#before.size / 2 ? new Map(settled) : undefined;
  }
}

function digestEntry(entry: WalkedEntry, cache: DigestCache): Digested {
  const tag = `${entry.ino} ${entry.size} ${entry.modifiedMs} ${entry.changedMs}`;
  const [cachedTag, cached = ""] = cache.get(entry.path) ?? [];
  if (cachedTag === tag) return { digest: cached, tag };
  const digest = blobDigest(entry.absolute, entry.kind, "sha1");
  return { digest, tag: entry.changedMs < Date.now() - SETTLED_MS ? tag : undefined };
}

export function blobDigest(path: string, kind: WalkedEntry["kind"], algorithm: "sha1" | "sha256"): string {
  const hash = createHash(algorithm);
  const bytes = kind === "link" ? Buffer.from(readlinkSync(path)) : undefined;
  if (bytes !== undefined) return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const content = readContent(path);
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}

function readContent(path: string): Buffer {
  // Without a stat, a small file takes one read less.
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(16_384);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    if (length < buffer.length) return buffer.subarray(0, length);
  } finally {
    closeSync(fd);
  }
  return readFileSync(path);
}

export function digestText(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Of a small file that may be missing. */
export function digestIfThere(path: string): string | null {
  try {
    return blobDigest(path, "file", "sha1");
  } catch {
    return null;
  }
}
