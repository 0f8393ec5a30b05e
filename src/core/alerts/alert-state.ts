import { alertRules, type AlertRule } from "../api/names.ts";
import type { AlertSettings } from "../project/project.ts";
import { parseDuration } from "../words/time.ts";
import type { Condition } from "./conditions.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasClock, HasHost } from "../files/ports.ts";
import type { AlertMessage } from "../api/alerts.ts";

/** Until svcm reports the condition. A rule without a value is off. */
export type HoldOffs = Readonly<Partial<Record<AlertRule, number>>>;

const HOLD_OFF = /^(\d+)([smh])$/;
const DEFAULTS: Readonly<Record<AlertRule, string>> = {
  "not-online": "60s",
  "crash-loop": "0s",
  job: "0s",
  "memory-growth": "30m",
  disk: "5m",
  drift: "15m",
  "pm2-away": "60s",
  boot: "1h",
};

export function readHoldOffs({ rules }: Pick<AlertSettings, "rules">): HoldOffs {
  const entries = alertRules.flatMap((rule) => {
    const ms = parseDuration(rules[rule] ?? DEFAULTS[rule], HOLD_OFF);
    return ms === undefined ? [] : [[rule, ms] as const];
  });
  return Object.fromEntries(entries);
}

/** The condition is present, or was until a moment ago. */
export interface ActiveAlert {
  readonly condition: Condition;
  readonly sinceMs: number;
  readonly reportedMs: number | undefined;
  readonly clearedMs: number | undefined;
  /** Its first report waits for the rate limit. */
  readonly isHeldBack?: boolean;
}

export interface AlertState {
  readonly active: ReadonlyMap<string, ActiveAlert>;
  readonly sentMs: readonly number[];
  /** Conditions that ended while their first report waited for the rate limit. */
  readonly leftOut: number;
}

export const INITIAL_STATE: AlertState = { active: new Map(), sentMs: [], leftOut: 0 };

export interface AlertReport extends Condition {
  readonly state: "firing" | "resolved";
  readonly sinceMs: number;
  readonly leftOut: number;
}

type DueReport = Omit<AlertReport, "leftOut">;

/** A condition that returns within this time has not ended. */
export const RESOLVE_AFTER_MS = 60_000;
const REPEAT_AFTER_MS = 6 * 3_600_000;
const RATE_LIMIT = { messages: 10, withinMs: 10 * 60_000 } as const;

type Judge = (condition: Condition) => boolean;

export interface AlertRules {
  readonly holdOffs: HoldOffs;
  readonly isMuted?: Judge;
  /** Nothing shows now whether the condition has ended. */
  readonly isUndecided?: Judge;
}

export function alertKey({ rule, subject }: Pick<Condition, "rule" | "subject">): string {
  return `${rule} ${subject}`;
}

/**
 * A condition is reported once when it has lasted for its hold-off, again every six hours, and once when it has been
 * gone for a minute. At most ten reports are made in ten minutes, the others wait. None is made of a muted condition.
 * @param nowMs on a monotonic clock
 */
export function updateAlerts(
  state: AlertState,
  conditions: readonly Condition[],
  nowMs: number,
  rules: AlertRules,
): { readonly state: AlertState; readonly reports: readonly AlertReport[] } {
  const recent = state.sentMs.filter((ms) => nowMs - ms < RATE_LIMIT.withinMs);
  const current = new Map(
    conditions.filter(({ rule }) => rules.holdOffs[rule] !== undefined).map((one) => [alertKey(one), one]),
  );
  const active = new Map<string, ActiveAlert>();
  const sent: DueReport[] = [];
  let { leftOut } = state;
  for (const key of new Set([...state.active.keys(), ...current.keys()])) {
    const before = state.active.get(key);
    const { alert, report, waiting } = updateAlert(before, current.get(key), nowMs, rules);
    const mustWait = report !== undefined && recent.length + sent.length >= RATE_LIMIT.messages;
    const next = mustWait ? waiting : alert;
    if (next !== undefined) active.set(key, next);
    else if (before?.isHeldBack === true) leftOut += 1;
    if (report !== undefined && !mustWait) sent.push(report);
  }
  const reports = sent.map((report, index) => ({ ...report, leftOut: index === 0 ? leftOut : 0 }));
  const sentMs = [...recent, ...sent.map(() => nowMs)];
  return { state: { active, sentMs, leftOut: sent.length > 0 ? 0 : leftOut }, reports };
}

interface Update {
  readonly alert?: ActiveAlert;
  readonly report?: DueReport;
  /** In place of the alert, if the report may not be sent yet. */
  readonly waiting?: ActiveAlert;
}

function updateAlert(
  before: ActiveAlert | undefined,
  condition: Condition | undefined,
  nowMs: number,
  { holdOffs, isMuted = () => false, isUndecided = () => false }: AlertRules,
): Update {
  if (condition === undefined) {
    if (before === undefined) return {};
    return isUndecided(before.condition) ? { alert: { ...before, clearedMs: undefined } } : resolveAlert(before, nowMs);
  }
  const { sinceMs = nowMs, reportedMs } = before ?? {};
  const isLate =
    reportedMs === undefined
      ? nowMs - sinceMs >= (holdOffs[condition.rule] ?? 0)
      : nowMs - reportedMs >= REPEAT_AFTER_MS;
  const alert = { condition, sinceMs, reportedMs, clearedMs: undefined };
  // A muted condition stays known, so that it is reported when the mute ends.
  if (!isLate || isMuted(condition)) return { alert };
  return {
    alert: { ...alert, reportedMs: nowMs },
    report: { ...condition, state: "firing", sinceMs },
    waiting: { ...alert, isHeldBack: reportedMs === undefined },
  };
}

/** A condition that ends before its report is never reported. */
function resolveAlert(before: ActiveAlert, nowMs: number): Update {
  if (before.reportedMs === undefined) return {};
  const clearedMs = before.clearedMs ?? nowMs;
  const waiting = { ...before, clearedMs };
  if (nowMs - clearedMs < RESOLVE_AFTER_MS) return { alert: waiting };
  return { report: { ...before.condition, state: "resolved", sinceMs: before.sinceMs }, waiting };
}

/** The details of a condition that has ended are in the present, too. */
const LABELS = { firing: ["ALERT", ""], resolved: ["Resolved", "No longer so: "] } as const;

export function alertMessage(
  { clock, host, workspace }: HasClock & HasHost & HasWorkspace,
  { rule, subject, state, details, sinceMs, leftOut }: AlertReport,
): AlertMessage {
  const nowMs = clock.now();
  const [label, before] = LABELS[state];
  return {
    version: 1,
    text: `${label} on ${host.name()}: ${rule}. ${before}${details}${leftOut > 0 ? ` ${leftOut} earlier messages were left out.` : ""}`,
    state,
    rule,
    subject,
    details,
    host: host.name(),
    workspace: workspace.root,
    at: new Date(nowMs).toISOString(),
    since: new Date(nowMs - (clock.elapsed() - sinceMs)).toISOString(),
    leftOut,
  };
}

export function testMessage({ clock, host, workspace }: HasClock & HasHost & HasWorkspace): AlertMessage {
  const at = new Date(clock.now()).toISOString();
  const details = `This is a test of the alerts of ${workspace.root}.`;
  const text = `Test on ${host.name()}: ${details}`;
  return {
    version: 1,
    text,
    state: "test",
    rule: null,
    subject: "test",
    details,
    host: host.name(),
    workspace: workspace.root,
    at,
    since: at,
    leftOut: 0,
  };
}
