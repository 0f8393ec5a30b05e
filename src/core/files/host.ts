import type * as Crypto from "node:crypto";
import type { Clock, Host, Room } from "./ports.ts";
import { readFile } from "node:fs/promises";
import { cpus, hostname, userInfo } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { once } from "../words/once.ts";
import { readIfReadable } from "./system.ts";
import { statfsSync } from "node:fs";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal && { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  },
};

/** @param stateFolder that of svcm's own files */
export function nodeHost(stateFolder: string): Host {
  return {
    digest: (bytes) => crypto().createHash("sha256").update(bytes).digest("base64url"),
    keyedDigest: once(async () => {
      const key = await readKey(stateFolder);
      return (bytes: Uint8Array) => crypto().createHmac("sha256", key).update(bytes).digest("base64url");
    }),
    randomId: () => crypto().randomUUID(),
    machineId,
    // As PM2 counts them for `instances: "max"`.
    cpuCores: () => Math.max(1, cpus().length),
    name: () => hostname(),
  };
}

/** If none can be kept, the key lasts as long as the process. */
async function readKey(stateFolder: string): Promise<Uint8Array> {
  const { folderKey, KEY_BYTES } = await import("./folder-key.ts");
  const key = await folderKey(stateFolder).catch(() => undefined);
  return key?.length === KEY_BYTES ? key : crypto().randomBytes(KEY_BYTES);
}

async function machineId(): Promise<string> {
  for (const file of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    const id = await readFile(file, "latin1").catch(() => "");
    if (/^[0-9a-f]{32}\s*$/.test(id)) return id.trim();
  }
  return hostname();
}

function crypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}

/** `undefined` for a user without an account on this machine. @see passwd(5) */
export function accountOf(uid: number | string): { readonly name: string; readonly home: string } | undefined {
  const line = new RegExp(`^([^:]+):[^:]*:${uid}:[^:]*:[^:]*:([^:]*)`, "m").exec(readIfReadable("/etc/passwd"));
  return line === null ? undefined : { name: line[1] ?? "", home: line[2] ?? "" };
}

export function userName(uid: number | string): string {
  return accountOf(uid)?.name ?? `uid ${uid}`;
}

export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** @param isRoot some blocks are reserved for root */
export function readRoom(path: string, isRoot = false): Room {
  const { bavail, bfree, blocks, bsize, files, ffree } = statfsSync(path);
  return {
    bytes: (isRoot ? bfree : bavail) * bsize,
    files: files > 0 ? ffree : undefined,
    totalBytes: blocks * bsize,
  };
}

/** `12 MiB and 3 files are free` */
export function roomText({ bytes, files }: Room): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB${files === undefined ? "" : ` and ${files} files`} are free`;
}
