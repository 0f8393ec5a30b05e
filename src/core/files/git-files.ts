/** Reads blobs, so no filter or hook of the repository runs. */
import type { RevisionState } from "./ports.ts";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { SvcmError } from "../api/errors.ts";
import { readIfExists } from "./system.ts";

export async function revisionState(
  git: Git,
  root: string,
  paths: () => Promise<readonly string[]>,
): Promise<RevisionState | undefined> {
  try {
    const [head, all] = await Promise.all([git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"), paths()]);
    const commit = head.toString("latin1").trim();
    const inside = all.filter((path) => !relative(root, path).startsWith(`..${sep}`));
    const names = inside.map((path) => relative(root, path));
    const listing = names.length === 0 ? "" : (await git("ls-tree", "-z", commit, "--", ...names)).toString("utf8");
    const files = parseTree(listing).filter(({ isFile }) => isFile);
    const tracked = new Map(files.map(({ id, name }) => [name, id]));
    const isDirty = await Promise.all(names.map((name) => differs(join(root, name), tracked.get(name))));
    const differing = names.filter((_name, index) => isDirty[index]);
    const unwritten = await readUnwrittenIds(git, root, differing);
    const written = new Set(differing.filter((name) => unwritten.get(name) !== tracked.get(name)));
    return { commit, dirty: inside.filter((path) => written.has(relative(root, path))) };
  } catch (error) {
    if (error instanceof SvcmError && error.kind === "REVISION_FAILED") return undefined;
    throw error;
  }
}

const MAX_FORMER_FILES = 20;

/** @see Revisions.formerTexts */
export async function readFormerTexts(
  git: Git,
  root: string,
  paths: readonly string[],
  timesMs: readonly number[],
): Promise<string[]> {
  const names = [...new Set(paths.map((path) => relative(root, path)))]
    .filter((name) => name !== ".." && !name.startsWith(`..${sep}`) && !name.split(sep).includes("node_modules"))
    .slice(0, MAX_FORMER_FILES);
  if (names.length === 0) return [];
  const ask = async (...args: string[]): Promise<string> => (await git(...args).catch(() => "")).toString();
  const [head, moves, changes] = await Promise.all([
    ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    ask("log", "--walk-reflogs", "-n", String(MAX_MOVES), "--format=%H %gd", "--date=unix", "HEAD"),
    ask("log", "-2", "--format=%H", "--", ...names),
  ]);
  const found = [head, changes].flatMap((lines) => lines.split("\n"));
  const commits = [...new Set([...found, ...headsAt(moves, timesMs)])].filter((id) => /^[0-9a-f]{40,64}$/.test(id));
  const blobs = commits.flatMap((commit) => names.map((name) => ask("cat-file", "blob", `${commit}:./${name}`)));
  return [...new Set(await Promise.all(blobs))].filter((text) => text !== "");
}

const MAX_MOVES = 1000;

/** @param moves lines such as `<commit> HEAD@{1700000000}`, newest first */
function headsAt(moves: string, timesMs: readonly number[]): string[] {
  const entries = [...moves.matchAll(/^(\w+) .*@\{(\d+)\}$/gm)].map(
    ([, id = "", second]) => [id, Number(second) * 1000] as const,
  );
  const headAt = (ms: number) => entries.find(([, atMs]) => atMs <= ms) ?? entries.at(-1);
  return timesMs.flatMap((ms) => headAt(ms)?.[0] ?? []);
}

async function differs(path: string, id: string | undefined): Promise<boolean> {
  if (id === undefined) return false;
  const bytes = await readIfExists(path).catch(() => undefined);
  if (bytes === undefined) return true;
  const hash = createHash(id.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") !== id;
}

export interface RevisionTree {
  readonly root: string;
  readonly commit: string;
  readonly run: (maxBytes: number, args: readonly string[], input?: string) => Promise<Buffer>;
}

const READABLE_FILE = /(?:\.(?:[cm]?js|json|ya?ml|env)|(?:^|\/)\.env[^/]*)$/;
/** A hostile tree may hold such names. */
const PARENT_FOLDER = /(?:^|\/)\.\.(?:\/|$)/;
const MAX_FILES = 20_000;
const MAX_TOTAL_BYTES = 64 * 2 ** 20;
const MAX_FILE_BYTES = 2 ** 20;

export async function withRevisionFiles<T>(tree: RevisionTree, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "svcm-revision-")));
  try {
    for (const { name, bytes } of await readFiles(tree)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes, { mode: 0o600 });
    }
    const modules = join(tree.root, "node_modules");
    if (existsSync(modules)) await symlink(modules, join(folder, "node_modules"));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readFiles({ commit, run }: RevisionTree): Promise<{ name: string; bytes: Buffer }[]> {
  const listing = (await run(MAX_TOTAL_BYTES, ["ls-tree", "-r", "-z", "-l", commit])).toString("utf8");
  const entries = parseTree(listing).filter(
    ({ isFile, name, size }) =>
      isFile && READABLE_FILE.test(name) && !PARENT_FOLDER.test(name) && size <= MAX_FILE_BYTES,
  );
  for (const entry of entries) requireReadable(entry);
  const isTooMuch = entries.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL_BYTES;
  if (entries.length > MAX_FILES || isTooMuch)
    throw new SvcmError("REVISION_FAILED", {
      code: "EFBIG",
      details: `${commit.slice(0, 10)} has more than ${MAX_FILES} files of code and settings, or more than ${MAX_TOTAL_BYTES / 2 ** 20} MiB of them.`,
    });
  const input = entries.map(({ id }) => `${id}\n`).join("");
  return parseBlobs(await run(2 * MAX_TOTAL_BYTES, ["cat-file", "--batch"], input), entries);
}

interface Entry {
  readonly id: string;
  readonly name: string;
  /** 0 if the entry is not a file, or if the listing has no sizes. */
  readonly size: number;
  /** A symbolic link is also a blob. */
  readonly isFile: boolean;
  readonly isLink: boolean;
  /** The id is that of a commit of another repository. */
  readonly isSubmodule: boolean;
  readonly isDamaged: boolean;
}

/** The entries of `ls-tree -z`: `<mode> <type> <id>[ <size>]\t<name>` each. */
export function parseTree(listing: string): Entry[] {
  return listing.split("\0").flatMap((line) => {
    if (line === "") return [];
    const [, mode = "", id = "", size = "", name = ""] = TREE_ENTRY.exec(line) ?? [];
    if (name === "") throw damagedError(`Git lists ${JSON.stringify(line.slice(0, 80))}, which svcm does not know.`);
    const kind = { isFile: mode.startsWith("100"), isLink: mode === "120000", isSubmodule: mode === "160000" };
    return [{ id, name, size: Number(size) || 0, ...kind, isDamaged: size === "BAD" }];
  });
}

/** Git writes `BAD` as the size of an object that it cannot read. */
const TREE_ENTRY = /^(\d+) \w+ ([0-9a-f]+)(?: +(\d+|-|BAD))?\t(.*)$/s;

/** Such a file is in the commit, although its content is not in the repository. @throws {SvcmError} REVISION_FAILED */
export function requireReadable({ id, name, isDamaged }: Pick<Entry, "id" | "name" | "isDamaged">): void {
  if (isDamaged) throw damagedError(`The object ${id.slice(0, 10)} of ${name} is missing or damaged. Next: git fsck`);
}

function damagedError(details: string): SvcmError {
  return new SvcmError("REVISION_FAILED", { code: "GIT_FAILED", details });
}

/** `<id> blob <size>\n<bytes>\n` each. */
function parseBlobs(batch: Buffer, entries: readonly Entry[]): { name: string; bytes: Buffer }[] {
  let at = 0;
  return entries.map(({ name, size }) => {
    const start = batch.indexOf("\n", at) + 1;
    at = start + size + 1;
    return { name, bytes: batch.subarray(start, start + size) };
  });
}

export type Git = (...args: string[]) => Promise<Buffer>;

/**
 * Reads the ids of files that were not written since Git last read or wrote them. Git converts line ends, and Git LFS
 * replaces whole files, so a file may be as committed although its bytes are not. No filter runs.
 * @param names relative to the folder in which Git runs
 */
export async function readUnwrittenIds(
  git: Git,
  folder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const paths = names.length > MAX_NAMES ? [] : ["--", ...names];
  const [listing, place] = await Promise.all([
    git("-c", "core.fsmonitor=false", "ls-files", "--stage", "--debug", "-z", ...paths),
    git("rev-parse", "--git-path", "index"),
  ]);
  const index = await lstat(resolve(folder, place.toString("utf8").trimEnd()), { bigint: true });
  const entries = parseIndex(listing.toString("utf8"));
  const found = await Promise.all(
    names.map(async (name) => {
      const entry = entries.get(name);
      const file = await lstat(join(folder, name), { bigint: true }).catch(() => undefined);
      if (entry === undefined || file === undefined) return [];
      // Git often writes both in one tick of the kernel's clock.
      const isSure = file.mtimeNs <= index.mtimeNs && stampOf(file) === entry.stamp;
      return isSure ? [[name, entry.id] as const] : [];
    }),
  );
  return new Map(found.flat());
}

const MAX_NAMES = 1000;

/** Git prints it for people, so another form is possible: then no entry is found. */
const ENTRY =
  /^\d{6} (?<id>[0-9a-f]{40,64}) 0\t(?<name>[^\0]+)\0 +ctime: (?<ctime>\d+:\d+)\n +mtime: (?<mtime>\d+:\d+)\n +dev: \d+\tino: (?<ino>\d+)\n.*\n +size: (?<size>\d+)\t.*\n/gm;

function parseIndex(listing: string): ReadonlyMap<string, { readonly id: string; readonly stamp: string }> {
  return new Map(
    [...listing.matchAll(ENTRY)].map(({ groups = {} }) => {
      const { name = "", id = "", ctime, mtime, ino, size } = groups;
      return [name, { id, stamp: `${ctime} ${mtime} ${ino} ${size}` }] as const;
    }),
  );
}

interface FileTimes {
  readonly ctimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly size: bigint;
}

function stampOf({ ctimeNs, mtimeNs, ino, size }: FileTimes): string {
  return `${timeText(ctimeNs)} ${timeText(mtimeNs)} ${BigInt.asUintN(32, ino)} ${BigInt.asUintN(32, size)}`;
}

function timeText(ns: bigint): string {
  return `${BigInt.asUintN(32, ns / 1_000_000_000n)}:${ns % 1_000_000_000n}`;
}
