/** PM2's saved list and svcm's copy of it. Both hold every value, so only their owner may read them. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, delimiter, isAbsolute } from "node:path";
import { inheritOwnerNow, makePrivateFolder } from "../../files/owner.ts";
import { readEnd, readTextSync, statIfReadable } from "../../files/system.ts";
import { parseRecord, isRecord } from "../../words/record.ts";
import type { SavedLists, SavedList, SavedProcess } from "../port-daemons.ts";
import type { Pm2Process } from "./worker/pm2-api.ts";
import { environmentOf, publishRecords, scrubForEnvironments } from "./worker/process-record.ts";

export type SavedRecord = Readonly<Record<string, unknown>>;

export interface ReadList {
  readonly state: "read" | "absent" | "empty" | "broken" | "unreadable";
  readonly text: string;
  readonly records: readonly SavedRecord[];
}

export interface Copy {
  readonly savedAtMs: number;
  readonly text: string;
  /** The list when a stop of all apps began that did not end: PM2's own list may have them as stopped. */
  readonly draining: string | null;
}

export function dumpPath(home: string): string {
  return join(home, "dump.pm2");
}

export function copyPath(home: string): string {
  return join(home, "svcm", "boot.json");
}

export function readList(home: string): ReadList {
  return readListAt(dumpPath(home));
}

function readListAt(path: string): ReadList {
  try {
    return parseList(readTextSync(path));
  } catch (error) {
    const state = (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "unreadable";
    return { state, text: "", records: [] };
  }
}

/**
 * The list from before the daemon's last end, if a signal ended it: PM2 then saves what it lists at that moment. At a
 * shutdown, the apps have had the signal as well, so it saves them as stopped.
 */
export function readListBeforeEnd(home: string): ReadList | undefined {
  const log = readEnd(join(home, "pm2.log"), TAIL_BYTES);
  const isSavedAtEnd = log.lastIndexOf(SAVED_AT_END) > log.lastIndexOf(DAEMON_STARTED);
  const before = isSavedAtEnd ? readListAt(backupPath(home)) : undefined;
  return before?.state === "read" ? before : undefined;
}

/** PM2 5 to 7. */
const SAVED_AT_END = "killed by signal, dumping process list";
const DAEMON_STARTED = "New PM2 Daemon started";
/** Between the two lines, PM2 writes a line for each app and each try to stop it. */
const TAIL_BYTES = 4 * 2 ** 20;

function backupPath(home: string): string {
  return `${dumpPath(home)}.bak`;
}

/** PM2 takes any JSON; only a list of records with a script can start something. */
export function parseList(text: string): ReadList {
  const list = parseJson(text);
  if (!Array.isArray(list)) return { state: "broken", text, records: [] };
  const records = list.filter((one): one is SavedRecord => isRecord(one) && typeof one["pm_exec_path"] === "string");
  if (records.length < list.length) return { state: "broken", text, records: [] };
  return { state: records.length === 0 ? "empty" : "read", text, records };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readCopy(home: string): Copy | undefined {
  try {
    const { savedAtMs, text, draining } = parseRecord(readTextSync(copyPath(home))) ?? {};
    if (typeof savedAtMs !== "number" || typeof text !== "string") return undefined;
    return { savedAtMs, text, draining: typeof draining === "string" ? draining : null };
  } catch {
    return undefined;
  }
}

/** @throws the system's error */
export function writeCopy(home: string, copy: Copy): void {
  makeOwnFolder(home);
  writeInPlace(copyPath(home), JSON.stringify(copy));
}

/** @throws the system's error */
export function makeOwnFolder(home: string): void {
  makePrivateFolder(dirname(copyPath(home)));
}

/** As `pm2 save` does, with the former list beside it. @throws the system's error */
export function replaceList(home: string, text: string): void {
  const path = dumpPath(home);
  if (existsSync(path)) writePrivate(backupPath(home), "w", readFileSync(path));
  writeInPlace(path, text);
  makePrivate(home);
}

/** A file with the same name in the same folder is there or not: a crash leaves no half. */
export function writeInPlace(path: string, text: string): void {
  const temporary = `${path}.svcm`;
  rmSync(temporary, { force: true });
  writePrivate(temporary, "wx", text);
  renameSync(temporary, path);
}

/** A file that root writes in the PM2_HOME of a user belongs to that user, whose daemon could not read it otherwise. */
export function writePrivate(path: string, flag: "w" | "wx", content: string | Uint8Array): void {
  const fd = openSync(path, flag, 0o600);
  try {
    inheritOwnerNow(fd, path);
    for (let rest = Buffer.from(content); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A file of another user stays as it is. */
function makePrivate(home: string): void {
  for (const path of listFiles(home)) {
    try {
      chmodSync(path, 0o600);
    } catch {
      // The finding DUMP_READABLE says so.
    }
  }
}

function publicFiles(home: string): string[] {
  return listFiles(home).filter((path) => mayOthersRead(path));
}

function listFiles(home: string): string[] {
  return [dumpPath(home), backupPath(home)].filter((path) => existsSync(path));
}

function isSet(path: string, bit: number): boolean {
  return (statSync(path).mode & bit) !== 0;
}

function mayOthersRead(path: string): boolean {
  try {
    if (!isSet(path, 0o004)) return false;
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
      if (!isSet(folder, 0o001)) return false;
    return true;
  } catch {
    return false;
  }
}

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
    savedAtMs: statIfReadable(path)?.mtimeMs ?? null,
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
