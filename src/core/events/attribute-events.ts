import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { Release } from "../api/rollout.ts";
import { callerText, subjectText } from "../access/audit-text.ts";
import type { LogEvent } from "./log-state.ts";
import { floorToSecond } from "../words/time.ts";
import { isUnattributed } from "./sightings.ts";

/** The effect of an attempt without an outcome may come up to this much later. */
const INTERRUPTED_MS = 60_000;

export interface TimedEvent {
  readonly atMs: number;
  readonly event: Omit<SvcmEvent, "at">;
}

interface Claim {
  readonly record: AuditRecord;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly claimed: LogEvent[];
}

/** Newest first. An attribution is certain if the action succeeded and explains no other end of the process. */
export function attributeEvents(
  logged: readonly LogEvent[],
  records: readonly AuditRecord[],
  pm2Home: string,
): TimedEvent[] {
  const claims = records.filter(({ outcome }) => outcome !== "refused").map(toClaim);
  const events = logged.flatMap((one) => withoutLostDaemon(one, claims, pm2Home));
  const claimsByApp = groupByProcess(claims);
  const owners = new Map<LogEvent, Claim>();
  for (const event of events) {
    const candidates = isUnattributed(event) ? claimsByApp.get(event.event.app ?? "") : undefined;
    const claim = candidates?.find((one) => claimsEvent(one, event, pm2Home));
    if (claim === undefined) continue;
    owners.set(event, claim);
    claim.claimed.push(event);
  }
  const attributed = events.map((one): TimedEvent => {
    const claim = owners.get(one);
    return claim === undefined ? one : { atMs: one.atMs, event: attributedTo(one, claim) };
  });
  const others = claims.filter(({ claimed }) => claimed.length === 0);
  const recorded = others.flatMap((claim) => fromRecord(claim, pm2Home));
  return [...attributed, ...recorded].toReversed().toSorted((a, b) => b.atMs - a.atMs);
}

/** A renewal starts the new daemon while the former one runs, so no process ended with it. */
function withoutLostDaemon(logged: LogEvent, claims: readonly Claim[], pm2Home: string): LogEvent[] {
  const { lostMs, atMs, event } = logged;
  if (lostMs === undefined) return [logged];
  const renewal = claims.find(
    ({ record: { action, processes = [] }, startedMs, endedMs }) =>
      action === "daemon.renew" &&
      isBetween(atMs, floorToSecond(startedMs), endedMs) &&
      processes.some((process) => process.pm2Home === pm2Home),
  );
  if (renewal === undefined) return [logged];
  if (event.kind !== "daemon") return [];
  const { record } = renewal;
  const evidence = [...event.evidence.slice(0, 1), recordText(record)];
  return [{ ...logged, event: { ...event, evidence, cause: "svcm", actor: callerText(record), auditId: record.id } }];
}

function groupByProcess(claims: readonly Claim[]): ReadonlyMap<string, readonly Claim[]> {
  const map = new Map<string, Claim[]>();
  for (const claim of claims) {
    for (const name of new Set(claim.record.processes?.map((process) => process.name))) {
      map.set(name, [...(map.get(name) ?? []), claim]);
    }
  }
  return map;
}

function toClaim(record: AuditRecord): Claim {
  const ms = Date.parse(record.timestamp);
  const isInterrupted = record.outcome === "started";
  return { record, startedMs: startMsOf(record), endedMs: isInterrupted ? ms + INTERRUPTED_MS : ms, claimed: [] };
}

export function startMsOf({ timestamp, ms = 0 }: AuditRecord): number {
  return Date.parse(timestamp) - ms;
}

/** The record of a run stays open until its end, and others may stop or restart it. */
const ONLY_STARTS: ReadonlySet<string> = new Set(["process.start", "process.run", "boot.restore"]);

function claimsEvent({ record, startedMs, endedMs }: Claim, { atMs, event }: LogEvent, pm2Home: string): boolean {
  if (atMs < floorToSecond(startedMs) || atMs > endedMs) return false;
  const isStart = event.kind === "start";
  if (isStart ? record.action === "process.stop" : ONLY_STARTS.has(record.action)) return false;
  return (record.processes ?? []).some(
    ({ name, pmId, pm2Home: home }) => home === pm2Home && name === event.app && (pmId === null || pmId === event.pmId),
  );
}

function recordText(record: AuditRecord): string {
  return `svcm's audit log has ${record.action} by ${callerText(record)} at that time.`;
}

function attributedTo({ event }: LogEvent, { record, claimed }: Claim): Omit<SvcmEvent, "at"> {
  const rivals = claimed.filter(
    (other) => other.event.pmId === event.pmId && (other.event.kind === "start") === (event.kind === "start"),
  );
  // A code says that nothing had to be done for some process.
  const isCertain = record.outcome === "succeeded" && record.code === undefined && rivals.length === 1;
  const sentence = recordText(record);
  const auditId = record.id;
  // Either of two requests at the same time may be the cause.
  if (event.actor !== undefined) {
    return { ...event, certainty: "likely", evidence: [...event.evidence, sentence], auditId };
  }
  const [, ...rest] = event.evidence;
  return {
    ...event,
    kind: event.kind === "stop" && record.action === "process.delete" ? "delete" : event.kind,
    cause: "svcm",
    certainty: isCertain ? "certain" : "likely",
    evidence: [sentence, ...rest],
    actor: callerText(record),
    auditId,
  };
}

/** An apply also starts apps that PM2 did not know; only its release names them. */
export function withReleaseApps(
  records: readonly AuditRecord[],
  releases: readonly Pick<Release, "startedAt" | "steps">[],
  pm2Home: string,
): AuditRecord[] {
  return records.map((record) => {
    if (!isRelease(record)) return record;
    const { startedMs, endedMs } = toClaim(record);
    const own = releases.filter(({ startedAt }) => isBetween(Date.parse(startedAt), startedMs, endedMs));
    const { processes = [] } = record;
    const apps = new Set(
      own.flatMap(({ steps }) => steps.filter(({ do: kind }) => kind !== "save").map(({ app }) => app)),
    );
    for (const { name } of processes) apps.delete(name);
    if (apps.size === 0) return record;
    const started = [...apps].map((name) => ({ name, pmId: null, pm2Home }));
    return { ...record, processes: [...processes, ...started] };
  });
}

export function isRelease({ action, outcome }: AuditRecord): boolean {
  return action.startsWith("plan.") && outcome !== "refused";
}

function isBetween(ms: number, fromMs: number, toMs: number): boolean {
  return ms >= fromMs && ms <= toMs;
}

export function recordedEvents(record: AuditRecord): TimedEvent[] {
  return fromRecord(toClaim(record), undefined);
}

/** One event for each process of this PM2, or of any PM2 if no PM2_HOME is given. */
function fromRecord({ record, startedMs }: Claim, pm2Home: string | undefined): TimedEvent[] {
  // A proposal, its approval and its denial change nothing; the apply or the write has its own record.
  if (record.action.startsWith("proposal.")) return [];
  const isAction = record.processes !== undefined;
  const isDeploy = record.action === "deploy.run";
  const subject = subjectText(record);
  const event: Omit<SvcmEvent, "at"> = {
    app: null,
    kind: isDeploy ? "deploy" : record.action.startsWith("plan.") ? "apply" : isAction ? "action" : "write",
    cause: "svcm",
    certainty: "certain",
    evidence: [
      isDeploy
        ? deployText(record)
        : `${record.action} ${subject} ${record.outcome} in svcm's audit log.`.replace("  ", " "),
    ],
    actor: callerText(record),
    auditId: record.id,
  };
  if (!isAction) return [{ atMs: startedMs, event }];
  const own = (record.processes ?? []).filter(({ pm2Home: home }) => pm2Home === undefined || home === pm2Home);
  return own.map(({ name, pmId }) => ({
    atMs: startedMs,
    event: { ...event, app: name, ...(pmId !== null && { pmId }) },
  }));
}

/** `Deployed commit 4a91c77 as 20261127080501-4a91c77 by anna (cli).` */
function deployText(record: AuditRecord): string {
  const { target = "a commit", outcome } = record;
  const what = { succeeded: "", started: " was interrupted", failed: " failed", refused: " was refused" }[outcome];
  return `${what === "" ? "Deployed" : "The deploy of"} ${target} by ${callerText(record)}${what}.`;
}
