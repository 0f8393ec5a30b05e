import { connect } from "node:net";
import { AnswerReader, requestOf } from "./message.ts";
import { errorCode } from "../../words/thrown.ts";
import type { ProcessName } from "../../ports/processes.ts";
import { pm2Home } from "./home.ts";

/** `undefined` if PM2 does not respond in time. Without a worker: completion must not keep a user waiting. */
export function askDaemon(path: string, method: "getMonitorData" | "getVersion", patienceMs: number): Promise<unknown> {
  const socket = connect(path, () => socket.write(requestOf("0", method, [{}])));
  return new Promise((resolve) => {
    const reader = new AnswerReader();
    const end = (value?: unknown): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(value);
    };
    const late = setTimeout(end, patienceMs);
    socket.once("error", () => end());
    socket.once("close", () => end());
    socket.on("data", (piece) => {
      try {
        for (const { value } of reader.add(piece)) end(value);
      } catch {
        end();
      }
    });
  });
}

/** Returns the system's error code, if any. A suspended daemon still listens. */
export function probe(socket: string): Promise<string | undefined> {
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

const PATIENCE_MS = 400;

export async function pm2Names(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<ProcessName[]> {
  const list = await askDaemon(pm2Home(env, cwd).socket, "getMonitorData", PATIENCE_MS);
  return Array.isArray(list) ? list.flatMap(nameOf) : [];
}

function nameOf(item: unknown): ProcessName[] {
  const { name, pm_id: pmId, pm2_env: facts } = item as Record<string, unknown>;
  const { status, namespace, pmx_module: isModule } = (facts ?? {}) as Record<string, unknown>;
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
