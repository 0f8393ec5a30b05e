import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { parseLine } from "../../line.ts";
import { compareRotated, rotatedNames } from "../../rotated.ts";
import { listIfReadable } from "../../../files/system.ts";
import { isCopyBehindCut, listCuts, openIfReadable } from "./cuts.ts";
import { type LogLocation, readHead } from "./log-file.ts";

interface RotatedFile {
  readonly file: string;
  readonly modifiedMs: number;
  readonly firstMs?: number | undefined;
}

/** Files that were restored or copied together. */
const SAME_TIME_MS = 2000;

/** Newest first. */
export function listRotatedFiles(location: LogLocation, sinceMs = 0): string[] {
  const folder = dirname(location.path);
  const names = rotatedNames(basename(location.path), listIfReadable(folder));
  const all = new Set(names);
  const files = names
    .filter((name) => !(name.endsWith(".gz") && all.has(name.slice(0, -3))))
    .flatMap((name): RotatedFile[] => {
      const file = join(folder, name);
      const modifiedMs = readModifiedMs(file);
      return modifiedMs === undefined || modifiedMs < sinceMs ? [] : [{ file, modifiedMs }];
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
  const isDoubtful = files.some(({ modifiedMs }, index) => {
    const previous = files[index - 1];
    return previous !== undefined && previous.modifiedMs - modifiedMs < SAME_TIME_MS;
  });
  const ordered = (isDoubtful ? byContent(location, files) : files).map(({ file }) => file);
  return [...freshCut(location), ...inOrderOfCuts(location, ordered)];
}

/** The names of svcm have the exact order. */
function inOrderOfCuts(location: LogLocation, files: readonly string[]): string[] {
  const cuts = new Set(listCuts(location).done.map(({ path }) => path));
  const newestFirst = [...cuts].filter((path) => files.includes(path)).toReversed();
  return files.map((file) => (cuts.has(file) ? (newestFirst.shift() ?? file) : file));
}

/** A copy whose head is cut off the log, but which has not got its name. */
function freshCut(location: LogLocation): string[] {
  const { copying } = listCuts(location);
  const log = copying && openIfReadable(location);
  if (copying === undefined || log === undefined) return [];
  try {
    return isCopyBehindCut(location, copying, log) ? [copying.path] : [];
  } finally {
    log.close();
  }
}

/** After a restore from a backup, the times of the files say nothing, so those of their first lines decide. */
function byContent(location: LogLocation, files: readonly RotatedFile[]): RotatedFile[] {
  return files
    .map((one) => ({ ...one, firstMs: readFirstMs({ ...location, path: one.file }) }))
    .toSorted(
      (a, b) =>
        (b.firstMs ?? b.modifiedMs) - (a.firstMs ?? a.modifiedMs) || compareRotated(basename(a.file), basename(b.file)),
    );
}

function readFirstMs(location: LogLocation): number | undefined {
  const head = readHead(location);
  if (head === undefined) return undefined;
  const text = location.path.endsWith(".gz") ? unzipHead(head) : head;
  for (const line of text?.toString().split("\n") ?? []) {
    const { atMs } = parseLine(line);
    if (atMs !== null) return atMs;
  }
  return undefined;
}

function unzipHead(head: Buffer): Buffer | undefined {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

function readModifiedMs(file: string): number | undefined {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}
