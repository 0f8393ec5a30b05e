import type { SavedLists, SavedList, SavedProcess } from "../port-saved-list.ts";
import { makePrivate, dumpPath, parseList, publicFiles, readCopy, readList, type SavedRecord } from "./saved-files.ts";
import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Pm2Process } from "./worker/pm2-api.ts";
import { environmentOf, publishRecords, scrubForEnvironments } from "./worker/process-record.ts";

export function pm2SavedLists(home: string): SavedLists {
  return {
    read: (digest) => Promise.resolve(readSaved(home, digest)),
    makePrivate: () => makePrivate(home),
  };
}

function readSaved(home: string, digest: (value: string) => string): SavedList {
  const path = dumpPath(home);
  const { state, text, records } = readList(home);
  const copy = readCopy(home);
  return {
    state,
    path,
    savedAtMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null,
    publicFiles: publicFiles(home),
    processes: toProcesses(records, digest),
    copy: copy?.text
      ? { savedAtMs: copy.savedAtMs, isCurrent: copy.text === text, count: parseList(copy.text).records.length }
      : null,
  };
}

function toProcesses(records: readonly SavedRecord[], digest: (value: string) => string): SavedProcess[] {
  const listed = records.map((record, index): Pm2Process => ({ pm_id: index, name: record["name"], pm2_env: record }));
  return publishRecords(listed, scrubForEnvironments(listed), digest).map((record, index) => ({
    ...record,
    missingInterpreter: listed[index] === undefined ? null : missingInterpreter(listed[index]),
  }));
}

/** A worker of a cluster runs the daemon's Node.js instead. */
function missingInterpreter(listed: Pm2Process): string | null {
  const { exec_mode: mode, exec_interpreter: interpreter } = listed.pm2_env;
  if (mode === "cluster_mode" || typeof interpreter !== "string" || interpreter === "none") return null;
  if (isAbsolute(interpreter)) return isMissing(interpreter) ? interpreter : null;
  const { PATH: path } = environmentOf(listed);
  if (typeof path !== "string" || interpreter.includes("/")) return null;
  return path.split(delimiter).every((folder) => isMissing(join(folder, interpreter))) ? interpreter : null;
}

function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
