import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import { callerOf, subjectOf } from "../audit/audit-text.ts";
import type { LogEvent } from "./log-events.ts";

/** PM2's log has whole seconds. */
const SECOND_MS = 1000;
/** An attempt without an outcome was interrupted; its effect may come this much later. */
const INTERRUPTED_MS = 60_000;

interface Claim {
  readonly record: AuditRecord;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly claimed: LogEvent[];
}

/**
 * Gives the ends that svcm ordered their actor, and adds the changes that PM2's log does not show. Newest first.
 *
 * An action claims an end within its own time. The end is certain if the action succeeded and claims no other end of the
 * process. It must also begin in an earlier second: in the same second, another program may have stopped the process
 * before.
 */
export function withAudit(events: readonly LogEvent[], records: readonly AuditRecord[], pm2Home: string): SvcmEvent[] {
  const claims = records.filter(({ outcome }) => outcome !== "refused").map(claimOf);
  const acting = claims.filter(({ record }) => record.processes !== undefined);
  const owners = new Map<LogEvent, Claim>();
  for (const event of events) {
    const claim = event.isOrdered ? acting.find((one) => claimsEvent(one, event, pm2Home)) : undefined;
    if (claim === undefined) continue;
    owners.set(event, claim);
    claim.claimed.push(event);
  }
  const attributed = events.map((event) => ({ ms: event.atMs, event: attributedTo(event, owners.get(event)) }));
  const others = claims.filter(({ claimed }) => claimed.length === 0);
  const recorded = others.flatMap((claim) => fromRecord(claim, pm2Home));
  return [...attributed, ...recorded]
    .map((one, index) => ({ ...one, index }))
    .toSorted((a, b) => b.ms - a.ms || b.index - a.index)
    .map(({ ms, event }) => ({ at: new Date(ms).toISOString(), ...event }));
}

function claimOf(record: AuditRecord): Claim {
  const ms = Date.parse(record.timestamp);
  const isOpen = record.outcome === "started";
  return { record, beganMs: ms - (record.ms ?? 0), endedMs: isOpen ? ms + INTERRUPTED_MS : ms, claimed: [] };
}

function claimsEvent({ record, beganMs, endedMs }: Claim, { atMs, event }: LogEvent, pm2Home: string): boolean {
  if (atMs < second(beganMs) || atMs > endedMs) return false;
  if (event.cause !== "pm2-cli" && event.cause !== "cron" && event.cause !== "unknown") return false;
  const isStart = event.kind === "start";
  if (isStart ? record.action === "process.stop" : record.action === "process.start") return false;
  return (record.processes ?? []).some(
    ({ name, pmId, pm2Home: home }) => home === pm2Home && name === event.app && (pmId === null || pmId === event.pmId),
  );
}

function attributedTo(logged: LogEvent, claim: Claim | undefined): Omit<SvcmEvent, "at"> {
  const { event, atMs } = logged;
  if (claim === undefined) return event;
  const { record, beganMs, claimed } = claim;
  const rivals = claimed.filter(
    (other) => other.event.pmId === event.pmId && (other.event.kind === "start") === (event.kind === "start"),
  );
  const isCertain = record.outcome === "succeeded" && rivals.length === 1 && atMs > second(beganMs);
  const words = `svcm's audit log has ${record.action} by ${callerOf(record)} at that time.`;
  const [, ...rest] = event.evidence;
  return {
    ...event,
    cause: "svcm",
    certainty: isCertain ? "certain" : "likely",
    evidence: [words, ...rest],
    actor: callerOf(record),
  };
}

function second(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** A change that PM2's log does not show, once for each process of this PM2. */
function fromRecord(
  { record, beganMs }: Claim,
  pm2Home: string,
): { readonly ms: number; readonly event: Omit<SvcmEvent, "at"> }[] {
  const isAction = record.processes !== undefined;
  const subject = subjectOf(record);
  const event: Omit<SvcmEvent, "at"> = {
    app: null,
    kind: isAction ? "action" : "write",
    cause: "svcm",
    certainty: "certain",
    evidence: [`${record.action} ${subject}`.trim() + ` ${record.outcome} in svcm's audit log.`],
    actor: callerOf(record),
  };
  if (!isAction) return [{ ms: beganMs, event }];
  const own = (record.processes ?? []).filter(({ pm2Home: home }) => home === pm2Home);
  return own.map(({ name, pmId }) => ({
    ms: beganMs,
    event: { ...event, app: name, ...(pmId !== null && { pmId }) },
  }));
}
