import { realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { readIfReadable } from "../../files/system.ts";
import { isRecord } from "../../words/record.ts";
import type { FoundPm2, Pm2Origin } from "../port-daemons.ts";
import { callDaemon } from "./daemon.ts";

export interface Pm2Places {
  readonly root: string;
  readonly home: string;
  readonly path: string | undefined;
}

const REPORT_TIMEOUT_MS = 400;

/** The running daemon's own code first, because it fits that daemon. @see CONTRACT section 17 */
export async function findPm2(places: Pm2Places): Promise<FoundPm2> {
  const daemon = choosePm2([["the running daemon", await daemonFolder(places.home)]]);
  if (daemon.code !== undefined) return daemon;
  const { code, refused } = findInstalledPm2(places);
  return { code, refused: [...new Set([...daemon.refused, ...refused])] };
}

/** With which a daemon would be started. */
export function findInstalledPm2(places: Pm2Places): FoundPm2 {
  return choosePm2(installedFolders(places));
}

type Candidate = readonly [by: Pm2Origin, folder: string | undefined];

/** Each is searched only if the one before cannot be used: a search resolves many paths. */
function* installedFolders({ root, path = "" }: Pm2Places): Generator<Candidate> {
  yield ["the repository", packageFrom(join(root, "package.json"))];
  yield ["svcm's neighbours", packageFrom(import.meta.url)];
  yield ["PATH", programFolder(path)];
}

function choosePm2(candidates: Iterable<Candidate>): FoundPm2 {
  const refused: string[] = [];
  for (const [by, folder] of candidates) {
    const version = folder === undefined ? undefined : versionOf(folder);
    if (folder === undefined || version === undefined) continue;
    const reason = problemOf(folder, version);
    if (reason === undefined) return { code: { folder, version, by }, refused };
    refused.push(`${folder} ${reason}`);
  }
  return { code: undefined, refused: [...new Set(refused)] };
}

/** The owner of the folder may change the code that svcm would run. */
function problemOf(folder: string, version: string): string | undefined {
  const uid = process.geteuid?.();
  const owners = [folder, join(folder, "package.json")].map((path) => statSync(path).uid);
  if (uid !== undefined && owners.some((owner) => owner !== uid && owner !== 0)) return "belongs to another user";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 4) ? undefined : `is PM2 ${version}, and svcm needs 5.4 or newer`;
}

/** The report also has the daemon's variables; only this path leaves the function. */
async function daemonFolder(home: string): Promise<string | undefined> {
  const report = await callDaemon(join(home, "rpc.sock"), "getReport", REPORT_TIMEOUT_MS);
  const program: unknown = isRecord(report) && Array.isArray(report["argv"]) ? report["argv"][1] : undefined;
  return typeof program === "string" ? packageAbove(program) : undefined;
}

function packageFrom(from: string): string | undefined {
  try {
    return packageAbove(createRequire(from).resolve("pm2/package.json"));
  } catch {
    return undefined;
  }
}

function programFolder(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => packageAbove(join(folder, "pm2")))
    .find((folder) => folder !== undefined);
}

/** Links are followed up to the folder whose package.json says `pm2`. */
function packageAbove(file: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(file)); folder !== dirname(folder); folder = dirname(folder))
      if (versionOf(folder) !== undefined) return folder;
  } catch {
    // The file does not exist, or this user may not see it.
  }
  return undefined;
}

function versionOf(folder: string): string | undefined {
  try {
    const pjson: unknown = JSON.parse(readIfReadable(join(folder, "package.json")));
    const { name, version } = isRecord(pjson) ? pjson : {};
    return name === "pm2" && typeof version === "string" && /^\d+\.\d+\.\d+/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

export function noPm2Text({ refused }: FoundPm2): string {
  const reasons = refused.length === 0 ? "" : ` Not used: ${refused.join("; ")}.`;
  return `PM2 is not installed: svcm looked in the running daemon, the repository, its own neighbours and PATH.${reasons}`;
}
