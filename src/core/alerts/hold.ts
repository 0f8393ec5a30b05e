import { alertRules, type AlertRule } from "../api/names.ts";
import type { AlertSettings } from "../project/project.ts";
import { millisecondsOf } from "../words/duration.ts";
import type { Condition } from "./conditions.ts";

/** Until svcm reports the condition. A rule without a value is off. */
export type HoldOffs = Readonly<Partial<Record<AlertRule, number>>>;

const FORM = /^(\d+)([smh])$/;
const DEFAULTS: Readonly<Record<AlertRule, string>> = {
  "not-online": "60s",
  "crash-loop": "0s",
  "memory-growth": "30m",
  disk: "5m",
  drift: "15m",
  "pm2-away": "60s",
};

export function holdOffsOf({ rules }: Pick<AlertSettings, "rules">): HoldOffs {
  const entries = alertRules.flatMap((rule) => {
    const ms = millisecondsOf(rules[rule] ?? DEFAULTS[rule], FORM);
    return ms === undefined ? [] : [[rule, ms] as const];
  });
  return Object.fromEntries(entries);
}

/** It holds, or held until a moment ago. */
interface Held {
  readonly condition: Condition;
  readonly sinceMs: number;
  readonly reportedMs: number | undefined;
  readonly goneMs: number | undefined;
}

export interface AlertMemory {
  readonly held: ReadonlyMap<string, Held>;
  readonly sentMs: readonly number[];
  /** Not sent because of the limit. */
  readonly leftOut: number;
}

export const NOTHING_HELD: AlertMemory = { held: new Map(), sentMs: [], leftOut: 0 };

export interface Report extends Condition {
  readonly state: "firing" | "resolved";
  readonly sinceMs: number;
  readonly leftOut: number;
}

/** A condition that returns within this time has not ended. */
const CALM_MS = 60_000;
const REPEAT_MS = 6 * 3_600_000;
const MOST = { messages: 10, withinMs: 10 * 60_000 } as const;

/**
 * A condition is reported once when it has held for its hold-off, again every six hours, and once when it has been gone
 * for a minute. At most ten reports are made in ten minutes.
 * @param nowMs on a monotonic clock
 */
export function judge(
  memory: AlertMemory,
  conditions: readonly Condition[],
  nowMs: number,
  holdOffs: HoldOffs,
): { readonly memory: AlertMemory; readonly reports: readonly Report[] } {
  const now = new Map(
    conditions.filter(({ rule }) => holdOffs[rule] !== undefined).map((one) => [`${one.rule} ${one.subject}`, one]),
  );
  const held = new Map<string, Held>();
  const due: Omit<Report, "leftOut">[] = [];
  for (const key of new Set([...memory.held.keys(), ...now.keys()])) {
    const next = nextOf(memory.held.get(key), now.get(key), nowMs, holdOffs);
    if (next.held !== undefined) held.set(key, next.held);
    if (next.report !== undefined) due.push(next.report);
  }
  return limited(memory, held, due, nowMs);
}

function nextOf(
  before: Held | undefined,
  condition: Condition | undefined,
  nowMs: number,
  holdOffs: HoldOffs,
): { readonly held?: Held; readonly report?: Omit<Report, "leftOut"> } {
  if (condition === undefined) return before === undefined ? {} : withoutCondition(before, nowMs);
  const sinceMs = before?.sinceMs ?? nowMs;
  const reportedMs = before?.reportedMs;
  const isDue =
    reportedMs === undefined ? nowMs - sinceMs >= (holdOffs[condition.rule] ?? 0) : nowMs - reportedMs >= REPEAT_MS;
  const held = { condition, sinceMs, reportedMs: isDue ? nowMs : reportedMs, goneMs: undefined };
  return isDue ? { held, report: { ...condition, state: "firing", sinceMs } } : { held };
}

/** A condition that ends before its report is never reported. */
function withoutCondition(before: Held, nowMs: number): ReturnType<typeof nextOf> {
  if (before.reportedMs === undefined) return {};
  const goneMs = before.goneMs ?? nowMs;
  if (nowMs - goneMs < CALM_MS) return { held: { ...before, goneMs } };
  return { report: { ...before.condition, state: "resolved", sinceMs: before.sinceMs } };
}

function limited(
  { sentMs, leftOut }: AlertMemory,
  held: ReadonlyMap<string, Held>,
  due: readonly Omit<Report, "leftOut">[],
  nowMs: number,
): ReturnType<typeof judge> {
  const recent = sentMs.filter((at) => nowMs - at < MOST.withinMs);
  const sent = due.slice(0, Math.max(0, MOST.messages - recent.length));
  const reports = sent.map((report, at) => ({ ...report, leftOut: at === 0 ? leftOut : 0 }));
  return {
    memory: {
      held,
      sentMs: [...recent, ...sent.map(() => nowMs)],
      leftOut: (sent.length > 0 ? 0 : leftOut) + due.length - sent.length,
    },
    reports,
  };
}
