/** `PM2_HOME/svcm/<service>/starts`: what each running process was started with, and digests by file. */
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  closeSync,
  openSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { StartRecord } from "../port-running-code.ts";
import { parseRecord } from "../../words/record.ts";
import { listIfReadable } from "../../files/system.ts";
import { createPrivateFile, makePrivateFolder } from "../../files/owner.ts";
import { createHash } from "node:crypto";
import type { WalkedEntry } from "./walk.ts";

const MAX_RECORDS = 2000;
const MAX_CACHES = 200;
const MAX_BOOT_WRITES = 1000;
const RECORD = /^([0-9a-f-]+)-(\d+)-(\d+)\.json$/;

type Code = ReadonlyMap<string, string>;
export type RecordIdentity = Pick<StartRecord, "bootId" | "pid" | "startTicks">;

/** Reading and writing never fail: without a record, svcm knows less. */
export class RecordStore {
  readonly #folder: string;
  #hasPruned = false;

  /** @param folder `PM2_HOME/svcm/<service>` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  read(identity: RecordIdentity): StartRecord | undefined {
    const text = readQuietly(join(this.#folder, "starts", fileName(identity)))?.toString("utf8");
    const record = text === undefined ? undefined : (parseRecord(text) as unknown as StartRecord | undefined);
    // A name alone does not make a record.
    const isWhole =
      record !== undefined &&
      record.pid === identity.pid &&
      record.startTicks === identity.startTicks &&
      record.bootId === identity.bootId &&
      typeof record.code === "string" &&
      /^[0-9a-f]{40}$/.test(record.code);
    return isWhole ? record : undefined;
  }

  readCode(name: string): Code | undefined {
    const bytes = readQuietly(join(this.#folder, "starts", "code", `${name}.gz`));
    if (bytes === undefined) return undefined;
    try {
      const text = gunzipSync(bytes).toString("utf8");
      return digestText(text) === name ? new Map(JSON.parse(text) as [string, string][]) : undefined;
    } catch {
      return undefined;
    }
  }

  /** @returns the name of the code */
  write(record: Omit<StartRecord, "code">, code: Code): string {
    const text = JSON.stringify([...code]);
    const name = digestText(text);
    quietly(() => {
      const starts = join(this.#folder, "starts");
      makePrivateFolder(join(starts, "code"));
      const path = join(starts, "code", `${name}.gz`);
      if (statSync(path, { throwIfNoEntry: false }) === undefined) replace(path, gzipSync(text));
      replace(join(starts, fileName(record)), JSON.stringify({ ...record, code: name }));
      if (!this.#hasPruned) this.#prune(starts, record.bootId);
      this.#hasPruned = true;
    });
    return name;
  }

  readCache(unit: string): DigestCache {
    const text = readQuietly(this.#cachePath(unit))?.toString("utf8");
    try {
      return new Map(text === undefined ? [] : (JSON.parse(text) as [string, [string, string]][]));
    } catch {
      return new Map();
    }
  }

  writeCache(unit: string, cache: DigestCache): void {
    quietly(() => {
      const folder = join(this.#folder, "digests");
      makePrivateFolder(folder);
      replace(this.#cachePath(unit), JSON.stringify([...cache]));
      removeOldest(folder, MAX_CACHES);
    });
  }

  /** The times of writes while an app started, and `null` for data of the app. */
  readBootWrites(unit: string): ReadonlyMap<string, number | null> {
    const text = readQuietly(this.#bootPath(unit))?.toString("utf8");
    const entries = Object.entries((text === undefined ? undefined : parseRecord(text)) ?? {});
    return new Map(entries.flatMap(([path, ms]) => (typeof ms === "number" || ms === null ? [[path, ms]] : [])));
  }

  writeBootWrites(unit: string, writes: ReadonlyMap<string, number | null>): void {
    quietly(() => {
      const folder = join(this.#folder, "boots");
      makePrivateFolder(folder);
      replace(this.#bootPath(unit), JSON.stringify(Object.fromEntries([...writes].slice(-MAX_BOOT_WRITES))));
      removeOldest(folder, MAX_CACHES);
    });
  }

  #bootPath(unit: string): string {
    return join(this.#folder, "boots", `${digestText(unit)}.json`);
  }

  #cachePath(unit: string): string {
    return join(this.#folder, "digests", `${digestText(unit)}.json`);
  }

  /** Records go with their processes, and lists of digests with the last record that names them. */
  #prune(starts: string, bootId: string): void {
    const pids = new Set(listIfReadable("/proc"));
    const kept = new Set<string>();
    for (const name of readdirSync(starts)) {
      const [, boot, pid = ""] = RECORD.exec(name) ?? [];
      if (boot === undefined) continue;
      if (boot !== bootId || !pids.has(pid)) rmSync(join(starts, name), { force: true });
      else kept.add(String((parseRecord(readFileSync(join(starts, name), "utf8")) ?? {})["code"]));
    }
    for (const name of readdirSync(join(starts, "code")))
      if (!kept.has(name.replace(/\.gz$/, ""))) rmSync(join(starts, "code", name), { force: true });
    removeOldest(starts, MAX_RECORDS);
  }
}

function fileName({ bootId, pid, startTicks }: RecordIdentity): string {
  return `${bootId}-${pid}-${startTicks}.json`;
}

function removeOldest(folder: string, keep: number): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (names.length <= keep) return;
  const files = names.map((name) => ({ path: join(folder, name), atMs: statSync(join(folder, name)).mtimeMs }));
  for (const { path } of files.toSorted((a, b) => b.atMs - a.atMs).slice(keep)) rmSync(path, { force: true });
}

/** Another svcm may read or write the file at the same time. */
function replace(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}`;
  try {
    createPrivateFile(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function readQuietly(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Looking must work on a full disk, and for a user who may only read. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The next look tries again.
  }
}

/** A write within this time of another one may leave the same times. */
const SETTLED_MS = 100;

/** Names a file's content; a later file with the same tag has the same content. */
type DigestCache = ReadonlyMap<string, readonly [tag: string, digest: string]>;

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
