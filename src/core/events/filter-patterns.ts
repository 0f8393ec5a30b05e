/** Patterns that show whether a large log must be read as a whole. */

import type { HasAudit } from "../access/ports.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Cause } from "../api/names.ts";
import { startMsOf, type TimedEvent } from "./attribute-events.ts";
import { escapeRegExp } from "../words/text.ts";
import { readAuditRecords, type AuditRecords } from "./collect-events.ts";
import type { EventFilter } from "./page.ts";
import { floorToSecond } from "../words/time.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { SvcmError } from "../api/errors.ts";
import { nameNotFound } from "../pm2/target.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

const DAEMON = /New PM2 Daemon started|PM2 successfully stopped|Exited peacefully|pm2 has been killed by signal/;

const ORDERED = /Stopping app:|:_old_\d/;

/** If these do not match, no event of the log has the cause. */
const OF_CAUSE: Partial<Record<Cause, RegExp>> = {
  crash: /exited with code \[(?!0\])-?\d+\]|via signal \[SIG(?:ABRT|INT)\]/,
  exit: /exited with code \[0\]/,
  signal: /exited with code \[1\d\d\]|via signal \[(?!SIGINT\])\w+\]/,
  "memory-limit": /because it exceeds --max-memory-restart value/,
  "oom-kill": /via signal \[SIGKILL\]/,
  watch: /Change detected on path /,
  cron: /\[PM2\] Deregistering a cron job on: /,
  "pm2-cli": ORDERED,
  daemon: DAEMON,
};

/** If these do not match, no event of the log is of the kind. */
const OF_KIND: Partial<Record<SvcmEvent["kind"], RegExp>> = {
  exit: /exited with code/,
  restart: ORDERED,
  stop: ORDERED,
  delete: ORDERED,
  daemon: DAEMON,
};

/** If one of these does not match, no event passes the filter. */
export function requiredPatterns({ apps, cause, kind }: EventFilter): RegExp[] {
  const names = apps.length === 0 ? undefined : namePattern(apps);
  return [names, cause && OF_CAUSE[cause], kind && OF_KIND[kind]].filter((pattern) => pattern !== undefined);
}

function namePattern(apps: readonly string[]): RegExp {
  return new RegExp(apps.map((name) => escapeRegExp(`[${name}:`)).join("|"));
}

const OF_AUDIT: ReadonlySet<string | undefined> = new Set(["action", "write", "apply"]);

/** 0 if any time is possible: svcm's own changes have an audit record. */
export async function findEarliest(
  ports: HasAudit,
  { cause, kind }: Pick<EventFilter, "cause" | "kind">,
  { since, now }: { readonly since: number; readonly now: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly sinceMs: number; readonly audit?: AuditRecords }> {
  if (cause !== "svcm" && !OF_AUDIT.has(kind)) return { sinceMs: since };
  const audit = await readAuditRecords(ports, since, signal);
  const wanted = audit.records.filter(({ timestamp }) => Date.parse(timestamp) >= since);
  const began = wanted.map((record) => floorToSecond(startMsOf(record)));
  return { sinceMs: Math.max(since, Math.min(now, ...began)), audit };
}

/**
 * An empty result would hide a typing error.
 * @throws {SvcmError} PROCESS_NOT_FOUND; PM2_FAILED if PM2 does not respond
 */
export async function requireKnownNames(
  ports: HasProcessLogs & HasProcesses,
  names: readonly string[],
  events: readonly TimedEvent[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const namesWithEvents = new Set(events.map(({ event }) => event.app));
  for (const name of names) {
    if (namesWithEvents.has(name) || (await ports.processLogs.contains(namePattern([name])))) continue;
    const list = await ports.processes.list(signal);
    if (!list.some((record) => record.name === name)) throw unknownNameError(name, list);
  }
}

export function unknownNameError(name: string, list: readonly ProcessRecord[]): SvcmError {
  const names = list.map((record) => record.name);
  return nameNotFound("process in PM2 or its log is named", name, names);
}
