import { execFile } from "node:child_process";
import { existsSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseRecord } from "../../words/record.ts";
import { userName } from "../../files/host.ts";
import { parseEnviron } from "../../files/proc.ts";
import { isSecretName } from "../../secrets/redact.ts";
import { readIfReadable, realPathIfReadable } from "../../files/system.ts";
import type { DaemonProcess, Daemons, Renewal, RenewedUnit } from "../port-daemons.ts";
import { callDaemon } from "./daemon.ts";
import { groupOf, isDaemon, isForegroundDaemon, isHomeOf, isStopped, renewalPath, titledDaemons } from "./proc.ts";
import { findInstalledPm2, type Pm2Places } from "./find-pm2.ts";

const REPORT_TIMEOUT_MS = 1000;
const DELETED = / \(deleted\)$/;

export function pm2Daemons(places: Pm2Places): Daemons {
  const pm2Home = places.home;
  return {
    list: async () => {
      if (process.platform !== "linux") return undefined;
      const gone = await goneNode(pm2Home);
      const daemons = listDaemons(pm2Home).map((one): DaemonProcess =>
        one.isOwn && gone !== undefined ? { ...one, nodePath: gone, nodeFile: "gone" } : one,
      );
      return daemons.some(({ isOwn }) => isOwn) ? daemons : [...daemons, ...(await readUntitled(pm2Home))];
    },
    nodeVersion: async () => {
      // The report also has the daemon's variables; only this field leaves the function.
      const report = await callDaemon(join(pm2Home, "rpc.sock"), "getReport", REPORT_TIMEOUT_MS);
      const version = isRecord(report) ? report["node_version"] : undefined;
      return typeof version === "string" && /^\d+\.\d+\.\d+/.test(version) ? version : null;
    },
    get libraryVersion() {
      return findInstalledPm2(places).code?.version ?? null;
    },
    versionOf: (node) =>
      new Promise((done) =>
        execFile(node, ["--version"], { timeout: REPORT_TIMEOUT_MS * 10 }, (error, out) =>
          done(error === null ? (/^v(\d+\.\d+\.\d+)/.exec(out)?.[1] ?? null) : null),
        ),
      ),
    renewal: () => readRenewal(pm2Home),
    unitThatEnds: async (daemon) => (await import("./lasting-group.ts")).unitThatEnds(daemon),
    ownGroup: () => groupOf("self"),
  };
}

/** In another container, its number belongs to another process here. */
async function readUntitled(home: string): Promise<DaemonProcess[]> {
  const pid = readIfReadable(join(home, "pm2.pid")).trim();
  const socket = join(home, "rpc.sock");
  if (!/^\d+$/.test(pid)) return [];
  const pm2Version = await callDaemon(socket, "getVersion", REPORT_TIMEOUT_MS);
  if (typeof pm2Version !== "string") return [];
  const isForeground = isForegroundDaemon(pid);
  const found = { home, pm2Version, isOwn: true, isForeground: true };
  if (isForeground || isDaemon(pid)) return [processOf(pid, { ...found, isForeground })];
  const uid = statSync(socket, { throwIfNoEntry: false })?.uid ?? -1;
  const unseen = { isSuspended: false, nodePath: null, nodeFile: "unknown", group: null, secretNames: [] } as const;
  return [{ pid: Number(pid), ...found, ...unseen, uid, user: userName(uid) }];
}

type Found = Pick<DaemonProcess, "home" | "pm2Version" | "isOwn" | "isForeground">;

function processOf(pid: string, found: Found): DaemonProcess {
  const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? -1;
  const isSuspended = isStopped(pid);
  return {
    pid: Number(pid),
    ...found,
    isSuspended,
    uid,
    user: userName(uid),
    ...nodeOf(pid),
    group: groupOf(pid),
    secretNames: found.isOwn ? secretNamesOf(pid) : [],
  };
}

const secretNamesOf = (pid: string): string[] =>
  Object.keys(parseEnviron(readIfReadable(`/proc/${pid}/environ`))).filter(isSecretName);

function listDaemons(pm2Home: string): DaemonProcess[] {
  const own = realPathIfReadable(pm2Home);
  return titledDaemons().map((one) => {
    const { pid, pm2Version } = one;
    const home = realPathIfReadable(one.home);
    const isOwn = isHomeOf(one, pm2Home) ?? home === own;
    return processOf(pid, { home, pm2Version, isOwn, isForeground: false });
  });
}

/** The file also has every value; they do not leave this function. */
function readRenewal(pm2Home: string): Renewal | null {
  const { step, startedAtMs, node, formerPid, unit } = parseRecord(readIfReadable(renewalPath(pm2Home))) ?? {};
  if (typeof startedAtMs !== "number" || typeof formerPid !== "number") return null;
  const back = step === "back" ? "back" : "forward";
  return { step: back, startedAtMs, node: String(node), formerPid, unit: (unit as RenewedUnit | undefined) ?? null };
}

/**
 * The Node.js that a daemon can no longer start, which a new cluster process would need. The daemon keeps the path from its
 * start, and the system follows a folder that was renamed.
 */
export async function goneNode(pm2Home: string): Promise<string | undefined> {
  const report = await callDaemon(join(pm2Home, "rpc.sock"), "getReport", REPORT_TIMEOUT_MS);
  const path: unknown = isRecord(report) && Array.isArray(report["argv"]) ? report["argv"][0] : undefined;
  return typeof path === "string" && path.startsWith("/") && !existsSync(path) ? path : undefined;
}

function nodeOf(pid: string): Pick<DaemonProcess, "nodePath" | "nodeFile"> {
  try {
    const link = readlinkSync(`/proc/${pid}/exe`);
    const nodePath = link.replace(DELETED, "");
    if (link === nodePath) return { nodePath, nodeFile: "present" };
    return { nodePath, nodeFile: existsSync(nodePath) ? "replaced" : "gone" };
  } catch {
    return { nodePath: null, nodeFile: "unknown" };
  }
}
