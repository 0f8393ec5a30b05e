import { alertRules, type AlertRule } from "../api/names.ts";
import type { AlertSettings } from "../project/project.ts";
import { parseDuration } from "../words/time.ts";
import { type Condition, bootConditions, findConditions, isUnknownIn, MemoryTrend } from "./conditions.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasClock, HasHost } from "../files/ports.ts";
import type { AlertMessage } from "../api/alerts.ts";
import type { AlertsPorts, Alerting } from "./ports.ts";
import { STEP_MS } from "../history/step.ts";
import { watchMachine } from "../metrics/telemetry.ts";
import { findMute } from "./muted.ts";

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
interface ActiveAlert {
  readonly condition: Condition;
  readonly sinceMs: number;
  readonly reportedMs: number | undefined;
  readonly clearedMs: number | undefined;
}

export interface AlertState {
  readonly active: ReadonlyMap<string, ActiveAlert>;
  readonly sentMs: readonly number[];
  /** Not sent because of the rate limit. */
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
const RESOLVE_AFTER_MS = 60_000;
const REPEAT_AFTER_MS = 6 * 3_600_000;
const RATE_LIMIT = { messages: 10, withinMs: 10 * 60_000 } as const;

type Judge = (condition: Condition) => boolean;

interface Judges {
  readonly isMuted?: Judge;
  /** True if the sample does not show whether the condition is present. */
  readonly isUnknown?: Judge;
}

/**
 * A condition is reported once when it has lasted for its hold-off, again every six hours, and once when it has been
 * gone for a minute. At most ten reports are made in ten minutes, and none of a muted condition. An unknown condition
 * stays as it was.
 * @param nowMs on a monotonic clock
 */
export function updateAlerts(
  state: AlertState,
  conditions: readonly Condition[],
  nowMs: number,
  holdOffs: HoldOffs,
  { isMuted = () => false, isUnknown = () => false }: Judges = {},
): { readonly state: AlertState; readonly reports: readonly AlertReport[] } {
  const current = new Map(
    conditions.filter(({ rule }) => holdOffs[rule] !== undefined).map((one) => [`${one.rule} ${one.subject}`, one]),
  );
  const active = new Map<string, ActiveAlert>();
  const due: DueReport[] = [];
  for (const key of new Set([...state.active.keys(), ...current.keys()])) {
    const before = state.active.get(key);
    if (before !== undefined && !current.has(key) && isUnknown(before.condition)) {
      active.set(key, { ...before, clearedMs: undefined });
      continue;
    }
    const { alert, report } = updateAlert(before, current.get(key), nowMs, holdOffs, isMuted);
    if (alert !== undefined) active.set(key, alert);
    if (report !== undefined) due.push(report);
  }
  return limitReports(state, active, due, nowMs);
}

function updateAlert(
  before: ActiveAlert | undefined,
  condition: Condition | undefined,
  nowMs: number,
  holdOffs: HoldOffs,
  isMuted: Judge,
): { readonly alert?: ActiveAlert; readonly report?: DueReport } {
  if (condition === undefined) return before === undefined ? {} : resolveAlert(before, nowMs);
  const { sinceMs = nowMs, reportedMs } = before ?? {};
  const isLate =
    reportedMs === undefined
      ? nowMs - sinceMs >= (holdOffs[condition.rule] ?? 0)
      : nowMs - reportedMs >= REPEAT_AFTER_MS;
  // A muted condition stays known, so that it is reported when the mute ends.
  const isDue = isLate && !isMuted(condition);
  const alert = { condition, sinceMs, reportedMs: isDue ? nowMs : reportedMs, clearedMs: undefined };
  return isDue ? { alert, report: { ...condition, state: "firing", sinceMs } } : { alert };
}

/** A condition that ends before its report is never reported. */
function resolveAlert(before: ActiveAlert, nowMs: number): ReturnType<typeof updateAlert> {
  if (before.reportedMs === undefined) return {};
  const clearedMs = before.clearedMs ?? nowMs;
  if (nowMs - clearedMs < RESOLVE_AFTER_MS) return { alert: { ...before, clearedMs } };
  return { report: { ...before.condition, state: "resolved", sinceMs: before.sinceMs } };
}

function limitReports(
  { sentMs, leftOut }: AlertState,
  active: ReadonlyMap<string, ActiveAlert>,
  due: readonly DueReport[],
  nowMs: number,
): ReturnType<typeof updateAlerts> {
  const recent = sentMs.filter((ms) => nowMs - ms < RATE_LIMIT.withinMs);
  const sent = due.slice(0, Math.max(0, RATE_LIMIT.messages - recent.length));
  const reports = sent.map((report, index) => ({ ...report, leftOut: index === 0 ? leftOut : 0 }));
  return {
    state: {
      active,
      sentMs: [...recent, ...sent.map(() => nowMs)],
      leftOut: (sent.length > 0 ? 0 : leftOut) + due.length - sent.length,
    },
    reports,
  };
}

const STATE_LABELS = { firing: "ALERT", resolved: "Resolved" } as const;

export function alertMessage(
  { clock, host, workspace }: HasClock & HasHost & HasWorkspace,
  { rule, subject, state, details, sinceMs, leftOut }: AlertReport,
): AlertMessage {
  const nowMs = clock.now();
  return {
    version: 1,
    text: `${STATE_LABELS[state]} on ${host.name()}: ${rule}. ${details}${leftOut > 0 ? ` ${leftOut} earlier messages were left out.` : ""}`,
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

const SAMPLES_PER_HEARTBEAT = 6;

export function createAlerting(ports: AlertsPorts): Alerting {
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  return {
    start(settings, onProblem) {
      if (running !== undefined) return;
      const stop = new AbortController();
      running = { stop, ended: watchConditions(ports, settings, onProblem, stop.signal).catch(onProblem) };
    },
    async stop() {
      running?.stop.abort();
      await running?.ended;
      running = undefined;
    },
  };
}

/** A slow receiver delays later messages but never the samples. */
async function watchConditions(
  ports: AlertsPorts,
  settings: AlertSettings,
  onProblem: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { bootOutlook, clock, marks, notifier } = ports;
  const holdOffs = readHoldOffs(settings);
  const trend = new MemoryTrend();
  let state = INITIAL_STATE;
  const store = await marks();
  let samples = 0;
  let unread = "";
  let sending = Promise.resolve();
  for await (const sample of watchMachine(ports, { intervalMs: STEP_MS }, signal)) {
    const boot = bootOutlook.last();
    const conditions = [...findConditions(sample, trend.add(sample)), ...bootConditions(boot)];
    // If the mutes cannot be read, nothing is muted.
    const muting = await store.read().catch((error: unknown) => {
      if (unread !== String(error)) onProblem(error);
      unread = String(error);
      return [];
    });
    const isMuted = ({ app, kind }: Condition): boolean =>
      findMute(muting, { subject: app, kind }, clock.now()) !== undefined;
    const isUnknown = ({ rule, subject }: Condition): boolean =>
      rule === "boot" ? boot === undefined : isUnknownIn(sample, { rule, subject });
    const update = updateAlerts(state, conditions, clock.elapsed(), holdOffs, { isMuted, isUnknown });
    state = update.state;
    for (const report of update.reports) {
      const message = alertMessage(ports, report);
      sending = sending.then(() => notifier.send(settings, message)).catch(onProblem);
    }
    if (samples % SAMPLES_PER_HEARTBEAT === 0) notifier.sendHeartbeat(settings).catch(onProblem);
    samples += 1;
  }
  await sending;
}
