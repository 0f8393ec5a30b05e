import type { CodeEvidence, RecordedCode } from "../code-evidence.ts";
import { isDataName, isInSettings, weigh, type Age, type Weight } from "../code-files.ts";
import { once } from "../../words/once.ts";
import type { RecordStore } from "./record-store.ts";
import { newerFile, newerFolder } from "./git-evidence.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";

/** Files are sought among those of the unit that may be code. */
export function ages(unit: Unit, sinceMs: number, wasThere: (path: string) => boolean): (path: string) => Age {
  const rewritten = once(() => new Set(bootWrites(unit.files, sinceMs).map(({ path }) => path)));
  return (path) => {
    const age = findAge(path, unit, wasThere);
    return age === "old" && rewritten().has(path) ? "rewritten" : age;
  };
}

/** From a start on, in which an app writes what it has found or made. */
const BOOT_MS = 5000;

/** Data that was written while the app started. */
export function bootWrites(entries: readonly WalkedEntry[], sinceMs: number): WalkedEntry[] {
  return entries.filter(
    ({ kind, path, changedMs }) =>
      kind === "file" && changedMs > sinceMs && changedMs <= sinceMs + BOOT_MS && isDataName(path),
  );
}

/** Two writes of a file, each while another run of its app started, make it data of the app. Settings stay in doubt. */
export function noteBootWrites(unit: Unit, newer: readonly WalkedEntry[], sinceMs: number, store: RecordStore): void {
  const { folder, rules } = unit;
  const mayBeOwn = ({ path }: WalkedEntry): boolean => !rules.own?.has(path) && !isInSettings(path);
  const written = folder === undefined ? [] : bootWrites(newer, sinceMs).filter(mayBeOwn);
  if (folder === undefined || written.length === 0) return;
  const before = store.readBootWrites(folder);
  const after = new Map(before);
  for (const { path, changedMs } of written) {
    const earlierMs = before.get(path);
    const isAgain = typeof earlierMs === "number" && Math.abs(changedMs - earlierMs) > BOOT_MS;
    if (earlierMs === undefined || isAgain) after.set(path, isAgain ? null : changedMs);
  }
  if (written.some(({ path }) => before.get(path) !== after.get(path))) store.writeBootWrites(folder, after);
  for (const [path, ms] of after) if (ms === null) unit.addOwn(path);
}

/** Removed data of the app does not change its code. */
export function withoutOthers(
  record: RecordedCode,
  gone: readonly string[],
  weightOf: (path: string) => Weight,
): RecordedCode {
  const others = new Set(gone.filter((path) => weightOf(path) !== "code"));
  if (others.size === 0) return record;
  return { ...record, code: new Map([...record.code].filter(([path]) => !others.has(path))) };
}

/** Leaves out files that the app has written since its start. */
export function withoutOwnData(
  digests: ReadonlyMap<string, string>,
  { walk, rules }: Unit,
  sinceMs: number,
): ReadonlyMap<string, string> {
  const isOwn = ({ path, bornMs }: WalkedEntry): boolean =>
    bornMs > sinceMs && weigh(path, "no-git", "new", rules) === "none";
  const own = new Set(walk.entries.filter(isOwn).map(({ path }) => path));
  return own.size === 0 ? digests : new Map([...digests].filter(([path]) => !own.has(path)));
}

export function describeWithoutGit(
  newer: readonly WalkedEntry[],
  { rules }: Unit,
  { sinceMs, ageOf }: { readonly sinceMs: number; readonly ageOf: (path: string) => Age },
): Pick<CodeEvidence, "newer" | "doubts"> {
  const weightOf = ({ kind, path }: WalkedEntry): Weight =>
    kind === "folder" ? "code" : weigh(path, "no-git", ageOf(path), rules);
  return {
    newer: newer
      .filter((entry) => weightOf(entry) === "code")
      .map((entry) => (entry.kind === "folder" ? newerFolder(entry) : newerFile(entry, sinceMs))),
    doubts: newer.filter((entry) => weightOf(entry) === "doubtful").map(({ path }) => path),
  };
}

/** @param wasThere answers for a path of the unit: it was there at the start */
function findAge(path: string, unit: Unit, wasThere: (path: string) => boolean): Age {
  if (wasThere(path)) return "old";
  const end = path.lastIndexOf("/") + 1;
  // Beside `package.json`, a new file of the same kind says nothing.
  if (end === 0) return "new";
  const [folder, suffix] = [path.slice(0, end), suffixOf(path)];
  const isFellow = (other: string): boolean =>
    other.startsWith(folder) && !other.includes("/", end) && suffixOf(other) === suffix && wasThere(other);
  return unit.files.some((entry) => isFellow(entry.path)) ? "fellow" : "new";
}

function suffixOf(path: string): string {
  return /\.[^./]+$/.exec(path)?.[0] ?? "";
}
