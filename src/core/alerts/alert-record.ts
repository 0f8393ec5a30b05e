/** Alerts that outlive the server: those that were reported, and messages that no receiver has accepted yet. */
import * as z from "zod/mini";
import type { AlertMessage } from "../api/alerts.ts";
import { alertRules, alertStates } from "../api/names.ts";
import { SvcmError } from "../api/errors.ts";
import {
  type ActiveAlert,
  alertKey,
  type AlertState,
  type HoldOffs,
  INITIAL_STATE,
  RESOLVE_AFTER_MS,
} from "./alert-state.ts";

const string = z.string();
const condition = { rule: z.enum(alertRules), subject: string, app: string, kind: string, details: string };
const message = z.strictObject({
  version: z.literal(1),
  text: string,
  state: z.enum(alertStates),
  rule: z.nullable(z.enum(alertRules)),
  subject: string,
  details: string,
  host: string,
  workspace: string,
  at: string,
  since: string,
  leftOut: z.number(),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  host: string,
  pm2Home: string,
  reported: z.array(z.strictObject({ ...condition, since: string, at: string })),
  waiting: z.optional(
    z.strictObject({ seenAt: string, alerts: z.array(z.strictObject({ ...condition, since: string })) }),
  ),
  unsent: z.array(z.strictObject({ to: z.enum(["webhook", "command"]), message })),
});

export interface AlertRecord {
  readonly version: 1;
  /** Another machine, or another PM2, has its own alerts. */
  readonly host: string;
  readonly pm2Home: string;
  readonly reported: readonly (ActiveAlert["condition"] & { readonly since: string; readonly at: string })[];
  /** Of a server that ended in order: the conditions that it had not reported yet. */
  readonly waiting?: Waiting | undefined;
  readonly unsent: readonly Unsent[];
}

export interface Waiting {
  readonly seenAt: string;
  readonly alerts: readonly (ActiveAlert["condition"] & { readonly since: string })[];
}

export interface Unsent {
  readonly to: "webhook" | "command";
  readonly message: AlertMessage;
}

/** @throws {SvcmError} ALERT_FAILED if the file is damaged */
export function parseAlertRecord(content: string | undefined, path: string): AlertRecord | undefined {
  try {
    return content === undefined ? undefined : fileSchema.parse(JSON.parse(content));
  } catch {
    const details = `${path} is not a file of svcm's alerts, so those that it names may be reported again.`;
    throw new SvcmError("ALERT_FAILED", { path, details });
  }
}

interface Clocks {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** On the monotonic clock of the state. */
  readonly elapsedMs: number;
}

function timesOf({ nowMs, elapsedMs }: Clocks): (ms: number) => string {
  return (ms) => new Date(nowMs - (elapsedMs - ms)).toISOString();
}

export function waitingAlerts({ active }: AlertState, clocks: Clocks): Waiting | undefined {
  const timeOf = timesOf(clocks);
  const waiting = [...active.values()].filter(({ reportedMs }) => reportedMs === undefined);
  const alerts = waiting.map(({ condition: one, sinceMs }) => ({ ...one, since: timeOf(sinceMs) }));
  return alerts.length === 0 ? undefined : { seenAt: timeOf(clocks.elapsedMs), alerts };
}

export function reportedAlerts({ active }: AlertState, clocks: Clocks): AlertRecord["reported"] {
  const timeOf = timesOf(clocks);
  return [...active.values()].flatMap(({ condition: reported, sinceMs, reportedMs }) =>
    reportedMs === undefined ? [] : [{ ...reported, since: timeOf(sinceMs), at: timeOf(reportedMs) }],
  );
}

/**
 * A clock that was set back in between brings a later repetition. Rules that are off now have no alerts. A condition that was
 * not reported goes on only if no more time has passed than one may be gone without an end.
 */
export function restoredState(
  { reported, waiting }: Pick<AlertRecord, "reported" | "waiting">,
  { nowMs, elapsedMs }: Clocks,
  holdOffs: HoldOffs,
): AlertState {
  const momentOf = (time: string): number => elapsedMs - Math.max(0, nowMs - (Date.parse(time) || nowMs));
  const goesOn = waiting !== undefined && Math.abs(nowMs - Date.parse(waiting.seenAt)) < RESOLVE_AFTER_MS;
  const kept = [...reported, ...(goesOn ? waiting.alerts.map((one) => ({ ...one, at: undefined })) : [])];
  const known = kept.filter(({ rule }) => holdOffs[rule] !== undefined);
  const active = known.map(({ since, at, ...one }): [string, ActiveAlert] => {
    const reportedMs = at === undefined ? undefined : momentOf(at);
    return [alertKey(one), { condition: one, sinceMs: momentOf(since), reportedMs, clearedMs: undefined }];
  });
  return { ...INITIAL_STATE, active: new Map(active) };
}
