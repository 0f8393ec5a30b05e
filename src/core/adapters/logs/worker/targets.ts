import { createHash } from "node:crypto";
import type { LogFilter } from "../../../ports/logs.ts";
import type { LogStream } from "../../../api/names.ts";
import type { Pm2Process } from "../../pm2/worker/pm2-api.ts";
import { LogFailure } from "../protocol.ts";
import type { LogPlace } from "./log-file.ts";

export interface Target extends LogPlace {
  readonly log: string;
  readonly app: string;
  readonly pmId: number | null;
  readonly stream: LogStream;
}

type Choice = Pick<LogFilter, "app" | "apps" | "stream">;

const STREAMS = [
  ["out", "pm_out_log_path"],
  ["err", "pm_err_log_path"],
] as const;
const NOWHERE = new Set(["/dev/null", "NULL", "null"]);

export function targetsOf(
  processes: readonly Pm2Process[],
  home: string,
  more: readonly string[],
  owner: number,
): Target[] {
  const targets = new Map<string, Target>();
  for (const { name, pm_id: pmId, pm2_env: env } of processes) {
    const { pm_cwd: cwd } = env;
    for (const [stream, field] of STREAMS) {
      const path = env[field];
      if (typeof path !== "string" || !path.startsWith("/") || NOWHERE.has(path)) continue;
      const known = targets.get(path);
      const folders = [...(known?.folders ?? [home, ...more]), ...(typeof cwd === "string" ? [cwd] : [])];
      const identity = known
        ? { ...known, pmId: known.pmId === pmId ? pmId : null }
        : { app: String(name), pmId, stream };
      targets.set(path, { ...identity, path, folders, owner, log: hash(path) });
    }
  }
  return [...targets.values()];
}

function hash(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 10);
}

export function chosen(
  targets: readonly Target[],
  names: ReadonlySet<string>,
  { app, apps = [], stream }: Choice,
): Target[] {
  const asked = app === undefined ? apps : [...apps, app];
  const unknown = asked.find((name) => !names.has(name));
  if (unknown !== undefined) throw notFound(unknown);
  return targets.filter((target) => isOf(target, { apps: asked, stream }));
}

export function isOf(target: Target, { app, apps = [], stream }: Choice): boolean {
  if (stream !== undefined && target.stream !== stream) return false;
  return (app === undefined && apps.length === 0) || target.app === app || apps.includes(target.app);
}

function notFound(name: string): LogFailure {
  const details = `PM2 does not know a process ${JSON.stringify(name.slice(0, 80))}.`;
  return new LogFailure("PROCESS_NOT_FOUND", "PROCESS_NOT_FOUND", details);
}
