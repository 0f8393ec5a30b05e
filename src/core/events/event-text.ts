import type { SvcmEvent } from "../api/events.ts";

/** `api (id 3) ended: crash, exit code 1.` */
export function eventText(event: SvcmEvent): string {
  const { app, kind, evidence } = event;
  if (kind === "deploy" || kind === "daemon") return evidence[0] ?? "";
  return app === null && (kind === "write" || kind === "apply") ? changeText(event) : endText(event);
}

function endText({ app, pmId, kind, cause, certainty, exitCode, signal }: SvcmEvent): string {
  const subject = app === null ? "PM2" : pmId === undefined ? app : `${app} (id ${pmId})`;
  const how = exitCode === undefined || exitCode === 0 ? signal : `exit code ${exitCode}`;
  const why = cause === "signal" && signal !== undefined ? "signal" : CAUSES[cause];
  const detail = how === undefined || cause === "oom-kill" ? why : `${why}, ${how}`;
  return `${subject} ${KINDS[kind]}: ${certainty === "likely" ? `probably ${detail}` : detail}.`;
}

/** `env.write LOG_LEVEL succeeded, by ann (http).` The evidence of a change is the sentence of its record. */
function changeText({ evidence: [record = "A change"], actor }: SvcmEvent): string {
  const change = record.replace(/ in svcm's audit log\.$/, "");
  return actor === undefined ? `${change}.` : `${change}, by ${actor}.`;
}

const KINDS: Readonly<Record<SvcmEvent["kind"], string>> = {
  start: "started",
  exit: "ended",
  restart: "was restarted",
  stop: "was stopped",
  delete: "was deleted",
  action: "received an action",
  write: "was changed",
  apply: "was part of an apply",
  deploy: "was deployed",
  daemon: "changed",
};

const CAUSES: Readonly<Record<SvcmEvent["cause"], string>> = {
  crash: "crash",
  exit: "normal exit",
  "memory-limit": "memory limit",
  "oom-kill": "killed by the kernel, out of memory",
  watch: "changed file",
  cron: "schedule",
  svcm: "by svcm",
  "pm2-cli": "a command to PM2",
  signal: "signal",
  daemon: "PM2's daemon",
  unknown: "cause unknown",
};

export interface EventRow extends SvcmEvent {
  /** Equal events in a row, of which this is the newest. */
  readonly count: number;
}

/** A crash loop repeats the same event, and only how long each run took differs. */
export function foldRows(events: readonly SvcmEvent[]): EventRow[] {
  const rows: { event: SvcmEvent; key: string; count: number }[] = [];
  for (const event of events) {
    const key = keyOf(event);
    const last = rows.at(-1);
    if (last?.key === key) last.count += 1;
    else rows.push({ event, key, count: 1 });
  }
  return rows.map(({ event, count }) => ({ ...event, count }));
}

function keyOf({ at: _at, evidence, ...event }: SvcmEvent): string {
  return JSON.stringify([event, evidence.map((sentence) => sentence.replace(/^It had run for .+$/, ""))]);
}
