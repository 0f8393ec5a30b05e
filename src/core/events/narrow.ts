/** Large logs are read as a whole only if these patterns match. */
import type { Cause } from "../api/names.ts";
import type { Ports } from "../ports/index.ts";
import { beganMsOf } from "./audited-events.ts";
import { literal } from "../words/literal.ts";
import { newestRecords, type Recorded } from "./happened.ts";
import type { EventFilter } from "./page.ts";
import { wholeSecond } from "./seconds.ts";

const DAEMON = /New PM2 Daemon started|PM2 successfully stopped|Exited peacefully|pm2 has been killed by signal/;

/** Without a match, no event of the log has the cause. */
const OF_CAUSE: Partial<Record<Cause, RegExp>> = {
  crash: /exited with code \[(?!0\])-?\d+\]|via signal \[SIGABRT\]/,
  signal: /exited with code \[1\d\d\]|via signal \[(?!SIGINT\])\w+\]/,
  "memory-limit": /because it exceeds --max-memory-restart value/,
  "oom-kill": /via signal \[SIGKILL\]/,
  watch: /Change detected on path /,
  cron: /\[PM2\] Deregistering a cron job on: /,
  daemon: DAEMON,
};

/** If one of these does not match, no event passes the filter. */
export function needsOf({ apps, cause, kind }: EventFilter): RegExp[] {
  const ofCause = cause && OF_CAUSE[cause];
  return [
    ...(apps.length === 0 ? [] : [namesIn(apps)]),
    ...(ofCause === undefined ? [] : [ofCause]),
    ...(kind === "daemon" ? [DAEMON] : []),
  ];
}

export function namesIn(apps: readonly string[]): RegExp {
  return new RegExp(apps.map((name) => literal(`[${name}:`)).join("|"));
}

const OF_AUDIT: ReadonlySet<string | undefined> = new Set(["action", "write", "apply"]);

/** 0 if any time is possible: svcm's own changes have an audit record. */
export async function earliestOf(
  ports: Ports,
  { cause, kind }: Pick<EventFilter, "cause" | "kind">,
  { since, now }: { readonly since: number; readonly now: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly sinceMs: number; readonly audit?: Recorded }> {
  if (cause !== "svcm" && !OF_AUDIT.has(kind)) return { sinceMs: since };
  const audit = await newestRecords(ports, since, signal);
  const wanted = audit.records.filter(({ timestamp }) => Date.parse(timestamp) >= since);
  const began = wanted.map((record) => wholeSecond(beganMsOf(record)));
  return { sinceMs: Math.max(since, Math.min(now, ...began)), audit };
}
