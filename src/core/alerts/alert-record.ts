/** Alerts that outlive the server: those that were reported, and messages that no receiver has accepted yet. */
import * as z from "zod/mini";
import type { AlertMessage } from "../api/alerts.ts";
import { alertRules, alertStates } from "../api/names.ts";
import { SvcmError } from "../api/errors.ts";
import { type ActiveAlert, alertKey, type AlertState, type HoldOffs, INITIAL_STATE } from "./alert-state.ts";

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
  unsent: z.array(z.strictObject({ to: z.enum(["webhook", "command"]), message })),
});

export interface AlertRecord {
  readonly version: 1;
  /** Another machine, or another PM2, has its own alerts. */
  readonly host: string;
  readonly pm2Home: string;
  readonly reported: readonly (ActiveAlert["condition"] & { readonly since: string; readonly at: string })[];
  readonly unsent: readonly Unsent[];
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

export function reportedAlerts({ active }: AlertState, { nowMs, elapsedMs }: Clocks): AlertRecord["reported"] {
  const timeOf = (ms: number): string => new Date(nowMs - (elapsedMs - ms)).toISOString();
  return [...active.values()].flatMap(({ condition: reported, sinceMs, reportedMs }) =>
    reportedMs === undefined ? [] : [{ ...reported, since: timeOf(sinceMs), at: timeOf(reportedMs) }],
  );
}

/** A clock that was set back in between brings a later repetition. Rules that are off now have no alerts. */
export function restoredState(
  reported: AlertRecord["reported"],
  { nowMs, elapsedMs }: Clocks,
  holdOffs: HoldOffs,
): AlertState {
  const momentOf = (time: string): number => elapsedMs - Math.max(0, nowMs - (Date.parse(time) || nowMs));
  const known = reported.filter(({ rule }) => holdOffs[rule] !== undefined);
  const active = known.map(({ since, at, ...one }): [string, ActiveAlert] => [
    alertKey(one),
    { condition: one, sinceMs: momentOf(since), reportedMs: momentOf(at), clearedMs: undefined },
  ]);
  return { ...INITIAL_STATE, active: new Map(active) };
}
