import { connect } from "node:net";
import type { ProcessName } from "../port-processes.ts";
import { errorCode } from "../../words/thrown.ts";
import { pm2Home } from "../../project/pm2-home.node.ts";
import { AnswerReader, encodeRequest } from "./message.ts";

/** `undefined` if PM2 does not respond in time. Without a worker: completion must not keep a user waiting. */
export function callDaemon(
  path: string,
  method: "getMonitorData" | "getVersion" | "getReport" | "reloadLogs",
  waitMs: number,
): Promise<unknown> {
  const socket = connect(path, () => socket.write(encodeRequest("0", method, [{}])));
  return new Promise((resolve) => {
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
