import { connect } from "node:net";
import type { ProcessName } from "../port-processes.ts";
import { errorCode } from "../../words/thrown.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { AnswerReader, encodeRequest } from "./message.ts";
import { readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { readIfReadable } from "../../files/system.ts";
import { suspendedDaemon } from "./proc.ts";

/**
 * `undefined` if PM2 does not respond in time, and at once if it is suspended. Without a worker: completion must not keep a
 * user waiting.
 */
export async function callDaemon(
  path: string,
  method: "getMonitorData" | "getVersion" | "getReport" | "reloadLogs",
  waitMs: number,
): Promise<unknown> {
  if (suspendedDaemon(dirname(path)) !== undefined) return undefined;
  const socket = connect(path, () => socket.write(encodeRequest("0", method, [{}])));
  return await new Promise((resolve) => {
    const reader = new AnswerReader();
    const end = (value?: unknown): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(end, waitMs);
    socket.once("error", () => end());
    socket.once("close", () => end());
    socket.on("data", (chunk) => {
      try {
        for (const { value } of reader.add(chunk)) end(value);
      } catch {
        end();
      }
    });
  });
}

/** Returns the system's error code, if any. A suspended daemon still listens. */
export function probeSocket(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(undefined);
    });
    attempt.once("error", (error) => {
      attempt.destroy();
      resolve(errorCode(error));
    });
  });
}

const NAMES_TIMEOUT_MS = 400;

export async function listPm2Names(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<ProcessName[]> {
  const list = await callDaemon(pm2Home(env, cwd).socket, "getMonitorData", NAMES_TIMEOUT_MS);
  return Array.isArray(list) ? list.flatMap(parseName) : [];
}

function parseName(item: unknown): ProcessName[] {
  const { name, pm_id: pmId, pm2_env: env } = item as Record<string, unknown>;
  const { status, namespace, pmx_module: isModule } = (env ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof pmId !== "number" || isModule) return [];
  return [
    {
      name,
      pmId,
      status: typeof status === "string" ? status : "unknown",
      namespace: typeof namespace === "string" ? namespace : "default",
    },
  ];
}

const ZONES = "/zoneinfo/";

/** `TZ` of the daemon; `undefined` if it uses the zone of the machine, or if its environment cannot be read. */
export function readDaemonZone(home: string): string | undefined {
  return readEnvironment(home)
    .find((variable) => variable.startsWith("TZ="))
    ?.slice("TZ=".length);
}

/**
 * The zone in which the daemon writes times; `undefined` if it is that of this process, or not known.
 * @param own `TZ` of this process
 */
export function otherZone(home: string, own = process.env["TZ"]): string | undefined {
  const zone = readDaemonZone(home);
  if (zone === own || readEnvironment(home).length < 2) return undefined;
  return zone ?? machineZone();
}

function readEnvironment(home: string): string[] {
  const pid = readIfReadable(join(home, "pm2.pid")).trim();
  return readIfReadable(`/proc/${pid}/environ`).split("\0");
}

function machineZone(): string | undefined {
  try {
    const [, zone] = readlinkSync("/etc/localtime").split(ZONES);
    return zone;
  } catch {
    return "UTC";
  }
}
