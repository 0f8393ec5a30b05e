import type { CodeEvidence, RecordedCode } from "../code-evidence.ts";
import { weigh, type Age, type Weight } from "../code-files.ts";
import { newerFile, newerFolder } from "./git-evidence.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";

/** Files are sought among those of the unit that may be code. */
export function ages(unit: Unit, wasThere: (path: string) => boolean): (path: string) => Age {
  return (path) => findAge(path, unit, wasThere);
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
