import { mayBeCode, mayHoldCode } from "../../running/code-files.ts";
import type { ProcessStart } from "./process-start.ts";
import type { Unit } from "./unit.ts";
import type { WalkedEntry } from "./walk.ts";

/** All files if the clock was set. */
export function newerEntries(
  { isClockSet, sinceMs }: ProcessStart,
  { unit, hasGit }: { readonly unit: Unit; readonly hasGit: boolean },
): WalkedEntry[] {
  const files = new Set(unit.files.map(({ path }) => path));
  return unit.walk.entries.filter((entry) => {
    const { kind, path, changedMs } = entry;
    if (kind !== "folder") return files.has(path) && (isClockSet || changedMs > sinceMs);
    return changedMs > sinceMs && mayHoldCode(path, hasGit) && !isExplained(entry, unit, sinceMs);
  });
}

/** PM2 creates the log folders of an app with the start, and the app itself its logs. */
const FIRST_FILES_MS = 2000;
const SAME_MOMENT_MS = 20;

/** The last new name in the folder does not belong to code, and appeared directly after the start. */
function isExplained({ path: folder, changedMs }: WalkedEntry, unit: Unit, sinceMs: number): boolean {
  if (changedMs > sinceMs + FIRST_FILES_MS) return false;
  const prefix = folder === "" ? "" : `${folder}/`;
  return unit.walk.entries.some(
    ({ path, kind, bornMs }) =>
      path !== folder &&
      path.startsWith(prefix) &&
      !path.slice(prefix.length).includes("/") &&
      Math.abs(bornMs - changedMs) <= SAME_MOMENT_MS &&
      (kind === "folder" ? !mayHoldCode(path, false) : !mayBeCode(path, unit.rules)),
  );
}
