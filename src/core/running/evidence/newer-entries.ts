import { mayBeCode, mayHoldCode, weigh } from "../code-files.ts";
import type { ProcessStart } from "./process-start.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";

interface Surroundings {
  readonly unit: Unit;
  readonly hasGit: boolean;
  /** The content is the one that an earlier look, before the start, has seen. */
  readonly isAsSeen: boolean;
}

/** All files if the clock was set. */
export function newerEntries(
  { isClockSet, sinceMs }: ProcessStart,
  { unit, hasGit, isAsSeen }: Surroundings,
): WalkedEntry[] {
  const untilMs = isAsSeen ? Infinity : sinceMs + FIRST_FILES_MS;
  return unit.walk.entries.filter((entry) => {
    const { kind, path, changedMs } = entry;
    // Most are older, so their names are not looked at.
    if (kind !== "folder") return (isClockSet || changedMs > sinceMs) && mayBeCode(path, unit.rules);
    if (changedMs <= sinceMs || !mayHoldCode(path, hasGit, unit.rules)) return false;
    return changedMs > untilMs || !isExplained(entry, unit, sinceMs);
  });
}

/**
 * PM2 creates the log folders of an app with the start, and the app its logs and data. A later one may hide that code
 * was removed before.
 */
const FIRST_FILES_MS = 2000;
const SAME_MOMENT_MS = 20;

/** The last new name in the folder does not belong to code. */
function isExplained({ path: folder, changedMs }: WalkedEntry, { walk, rules }: Unit, sinceMs: number): boolean {
  const prefix = folder === "" ? "" : `${folder}/`;
  const isOfMoment = (atMs: number): boolean => Math.abs(atMs - changedMs) <= SAME_MOMENT_MS;
  return walk.entries.some(
    ({ path, kind, bornMs, changedMs: lastMs }) =>
      path !== folder &&
      path.startsWith(prefix) &&
      !path.slice(prefix.length).includes("/") &&
      bornMs > sinceMs &&
      // A file that is renamed when it is complete has that time.
      (isOfMoment(bornMs) || (kind === "file" && isOfMoment(lastMs))) &&
      (kind === "folder"
        ? !mayHoldCode(path, false, rules)
        : !mayBeCode(path, rules) || weigh(path, "no-git", "new", rules) === "none"),
  );
}

/** Links on the way to a path that were written after a time, from the top. */
export function movedLinks(path: string, sinceMs: number, above = "/"): string[] {
  const links: string[] = [];
  for (let at = path; at !== above && at !== dirname(at); at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true && stats.ctimeMs > sinceMs) links.unshift(at);
  }
  return links;
}
