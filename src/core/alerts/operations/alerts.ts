import type { HasClock } from "../../files/ports.ts";
import type { Audited } from "../../access/ports.ts";
import { type Caller, defineOperation } from "../../access/operation.ts";
import type { MarkListResponse } from "../../api/alerts.ts";
import type { HasTelemetry } from "../../metrics/telemetry.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { findConditions } from "../conditions.ts";
import { type Change, MAX_MUTE_MS, presentMarks, readUntil, withMark } from "../marks.ts";
import type { HasMarks, AlertsPorts } from "../ports.ts";
import { testMessage } from "../alert-state.ts";

interface AlertsTestResponse {
  /** The receivers that accepted the message. */
  readonly sent: readonly ("webhook" | "command" | "heartbeat")[];
}

/** Sends a test message to everything that `alerts` in svcm.yaml declares. @throws {SvcmError} ALERT_FAILED */
export const alertsTest = defineOperation({
  id: "alerts.test",
  access: "write",
  refusal: "INVALID_REQUEST",
  async run(ports: AlertsPorts): Promise<AlertsTestResponse> {
    const { alerts } = (await ports.facts.project()) ?? {};
    const sent = (["webhook", "command", "heartbeat"] as const).filter((name) => alerts?.[name] !== undefined);
    if (alerts === undefined || sent.length === 0)
      throw new SvcmError("ALERT_FAILED", {
        code: "ALERTS_NOT_DECLARED",
        details: "svcm.yaml declares no webhook, command or heartbeat for alerts.",
        hint: "Add them, for example: alerts: { webhook: ALERT_WEBHOOK_URL }",
      });
    await ports.notifier.send(alerts, testMessage(ports));
    await ports.notifier.sendHeartbeat(alerts);
    return { sent };
  },
});

type MarkPorts = Audited & HasMarks;

export const markList = defineOperation({
  id: "mark.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ marks, clock }: HasMarks & HasClock): Promise<MarkListResponse> {
    return { marks: presentMarks(await (await marks()).read(), clock.now()) };
  },
});

/**
 * Without `until`, ends the mute. Without `kinds`, only the present troubles of the subject are muted.
 * @throws {SvcmError} MARK_REFUSED, MARKS_FAILED, PM2_FAILED
 */
export const markMute = defineOperation({
  id: "mark.mute",
  access: "act",
  refusal: "INVALID_REQUEST",
  async run(ports: MarkPorts & HasTelemetry, { subject, until, kinds, reason }, caller): Promise<MarkListResponse> {
    if (until === undefined) return await change(ports, caller, { action: "mark.unmute", subject, mute: undefined });
    const nowMs = ports.clock.now();
    const untilMs = readUntil(until, nowMs);
    if (untilMs === undefined) throw untilRefusal(until);
    const muted = kinds ?? (await presentKinds(ports, subject));
    const mute = { kinds: muted, until: new Date(untilMs).toISOString(), ...(reason && { reason }) };
    return await change(ports, caller, { action: "mark.mute", subject, mute: { ...mute, ...madeBy(ports, caller) } });
  },
});

/** An empty text removes the note. @throws {SvcmError} MARK_REFUSED, MARKS_FAILED */
export const markNote = defineOperation({
  id: "mark.note",
  access: "act",
  refusal: "INVALID_REQUEST",
  async run(ports: MarkPorts, { subject, text }, caller): Promise<MarkListResponse> {
    const note = text === "" ? undefined : { text, ...madeBy(ports, caller) };
    return await change(ports, caller, { action: "mark.note", subject, note });
  },
});

function madeBy({ clock }: HasClock, { actor, source }: Caller) {
  return { by: actor ?? source, at: new Date(clock.now()).toISOString() };
}

async function change(
  ports: MarkPorts,
  caller: Caller,
  { action, ...next }: Change & { readonly action: string },
): Promise<MarkListResponse> {
  return await withAudit(ports, caller, { action, target: next.subject }, async ({ begin }) => {
    await begin();
    const nowMs = ports.clock.now();
    const all = await (await ports.marks()).change((before) => withMark(before, next, nowMs));
    return { marks: presentMarks(all, nowMs) };
  });
}

async function presentKinds({ telemetry }: HasTelemetry, subject: string): Promise<string[]> {
  const sample = await telemetry.collect({ environment: undefined, asyncContext: false });
  const conditions = findConditions(sample, new Map()).filter(({ app }) => app === subject);
  if (conditions.length > 0) return [...new Set(conditions.map(({ kind }) => kind))];
  // Without PM2, the trouble of the app is unknown.
  if (sample.kind === "host") throw new SvcmError("PM2_FAILED", sample.error);
  throw new SvcmError("MARK_REFUSED", {
    code: "NOTHING_TO_MUTE",
    details: `${JSON.stringify(subject)} has no trouble now. Accepted: the name of an app or a mount point with trouble, or the kinds to mute.`,
  });
}

function untilRefusal(until: string): SvcmError {
  return new SvcmError("MARK_REFUSED", {
    code: "MUTE_TIME_INVALID",
    details: `${JSON.stringify(until)} is not a time to come, at most ${MAX_MUTE_MS / 86_400_000} days from now. Accepted: a duration such as 2h or 3d, a day of the week, or a time such as 2030-01-31T09:00Z.`,
  });
}
