import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";

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
