import { auditText, toPrintable, type AuditRecord } from "../core/index.ts";

export interface LogDestination {
  readonly isTTY?: boolean | undefined;
  write(line: string): void;
}

interface Stamped {
  readonly time: string;
  readonly level: number;
  readonly pid: number;
  readonly msg: string;
}

const WARN = 40;
const ERROR = 50;

export function textLines(destination: LogDestination): LogDestination {
  return {
    write(line) {
      const text = lineText(JSON.parse(line) as Stamped & Readonly<Record<string, unknown>>);
      if (text !== undefined) destination.write(`${text}\n`);
    },
  };
}

/** `undefined` if another line reports the same: an attempt and its outcome are one line. */
function lineText(line: Stamped & Readonly<Record<string, unknown>>): string | undefined {
  const { time, level, pid: _pid, msg, stack, recorded, ...facts } = line;
  const frames = typeof stack === "string" ? stack.split("\n").map((frame) => `\n  ${toPrintable(frame)}`) : [];
  if (recorded === true && frames.length === 0) return undefined;
  const record = msg.startsWith("audit") ? (facts as unknown as AuditRecord) : undefined;
  if (record?.outcome === "started") return undefined;
  const what = record === undefined ? [msg, ...factsOf(facts)] : [...recordOf(record), msg.slice("audit, ".length)];
  const words = [auditText.formatTimestamp(time), ...weightOf(level, record), ...what].filter((word) => word !== "");
  return toPrintable(words.join("  ")) + frames.join("");
}

function weightOf(level: number, record: AuditRecord | undefined): string[] {
  if (record !== undefined || level < WARN) return [];
  return [level < ERROR ? "warning" : "error"];
}

function recordOf(record: AuditRecord): string[] {
  const { action, environment = "", address, ms } = record;
  const from = address === undefined ? "" : `from ${address}`;
  const took = ms === undefined ? "" : `${ms} ms`;
  const { subjectText: subjectOf, callerText: callerOf, outcomeText: outcomeOf } = auditText;
  return [action, environment, subjectOf(record), `by ${callerOf(record)}`, from, outcomeOf(record), took];
}

function factsOf({ method, route, status, code, ms, ...rest }: Readonly<Record<string, unknown>>): string[] {
  const request = [method, method === undefined ? undefined : (route ?? "(no route)"), status, code];
  const took = ms === undefined ? undefined : `${wordOf(ms)} ms`;
  const named = Object.entries(rest).map(([name, value]) => `${name} ${wordOf(value)}`);
  return [...request, took, ...named].flatMap((fact) => (fact === undefined ? [] : [wordOf(fact)]));
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
