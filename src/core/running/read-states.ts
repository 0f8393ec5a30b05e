import type { HasStamps, HasMachine, HasClock } from "../files/ports.ts";
import type { HasProcessLogs } from "../logs/port-logs.ts";
import type { HasAudit } from "../access/ports.ts";
import type { LogEntry } from "../logs/log-line.ts";
import { type ProcessRecord, workingFolders } from "../pm2/process-record.ts";

import type { ScheduleTimes, HasSchedules } from "../pm2/port-daemons.ts";
import type { LastEnd, NextTime, ProcessFacts, ScheduleFacts } from "./facts.ts";
import { appKind } from "./code-evidence.ts";
import { logFacts, attributeStop } from "./log-facts.ts";
import { MIN_LOOP_RESTARTS, OBSERVED_MS, type RestartObservations } from "./restarts.ts";
import { isInLoadingTime, readServing, type HungSince } from "./read-serving.ts";
import type { ServingFacts } from "./serving.ts";
import { isAtRest, isWithoutPid, type ProcessState, processState, type StateOf } from "./state.ts";

type FactPorts = HasAudit & HasClock & HasMachine & HasProcessLogs & HasSchedules & HasStamps;

/** A crash loop with several ends a second writes this in an hour. */
const MAX_ENTRIES = 20_000;
const MAX_AUDIT_RECORDS = 200;
const SERVING_MS = 10_000;
/** PM2 writes the local time of its daemon. */
const MAX_ZONE_MS = 15 * 3_600_000;

/** Reads what the states of these processes depend on, and nothing if PM2's list says everything. */
export async function readStateOf(
  ports: FactPorts,
  records: readonly ProcessRecord[],
  reader = new FactsReader(ports),
): Promise<StateOf> {
  const missingFolders = ports.stamps.missing(workingFolders(records));
  const facts = await reader.read(records);
  return createStateOf(ports, { facts, missingFolders });
}

/** PM2's list shows an end before its log has the line that names the signal. */
const LOG_DELAY_MS = 2000;
const LOG_POLL_MS = 100;

export interface ProcessEnd {
  readonly state: ProcessState;
  readonly lastEnd: LastEnd | undefined;
}

/** Returns how a job or task ended that PM2's list shows at rest, as soon as PM2's log has it. */
export async function readEnd(ports: FactPorts, record: ProcessRecord): Promise<ProcessEnd> {
  const { clock, processLogs } = ports;
  const untilMs = clock.elapsed() + LOG_DELAY_MS;
  for (;;) {
    const reader = new FactsReader(ports);
    const state = (await readStateOf(ports, [record], reader))(record);
    const lastEnd = (await reader.read([record])).get(record.pmId)?.lastEnd;
    const isKnown =
      lastEnd !== undefined || Boolean(record.exitCode) || record.lastStartAt === null || !isAtRest(record);
    if (isKnown || clock.elapsed() >= untilMs) return { state, lastEnd };
    const { exists } = await processLogs.readCoverage().catch(() => ({ exists: false }));
    if (!exists) return { state, lastEnd };
    await clock.sleep(LOG_POLL_MS);
  }
}

/** By PM2 id; without those that PM2's library does not read. */
export async function readNextTimes(
  { clock, schedules }: HasClock & HasSchedules,
  records: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, NextTime>> {
  const afterMs = clock.now();
  const scheduled = records.flatMap(({ pmId, cronRestart: pattern }) => (pattern === null ? [] : [{ pmId, pattern }]));
  const times = await schedules.next(scheduled.map(({ pattern }) => ({ pattern, afterMs })));
  return new Map(
    scheduled.flatMap(({ pmId }, index): [number, NextTime][] => {
      const nextMs = times?.timesMs[index] ?? null;
      return times === undefined || nextMs === "invalid" ? [] : [[pmId, { nextMs, zone: times.zone }]];
    }),
  );
}

interface StateInput {
  readonly facts: ReadonlyMap<number, ProcessFacts>;
  readonly missingFolders: ReadonlySet<string>;
  readonly restarts?: RestartObservations;
}

export function createStateOf({ clock }: HasClock, { facts, missingFolders, restarts }: StateInput): StateOf {
  return (record, kind) =>
    processState(record, {
      epochMs: clock.now(),
      missingFolders,
      observed: restarts?.get(record.pmId),
      facts: facts.get(record.pmId),
      kind,
    });
}

/** Keeps what cannot change while a process stays at rest, so that a server does not read it with every list. */
export class FactsReader {
  readonly #ports: FactPorts;
  #kept = new Map<string, ProcessFacts>();
  #hungSince: HungSince = new Map();
  #serving: { readonly atMs: number; readonly facts: ReadonlyMap<number, ServingFacts> } | undefined;

  constructor(ports: FactPorts) {
    this.#ports = ports;
  }

  async read(records: readonly ProcessRecord[]): Promise<ReadonlyMap<number, ProcessFacts>> {
    const missing = records.filter((record) => needsLog(record) && !this.#kept.has(runKey(record)));
    const fresh = missing.length === 0 ? new Map<number, ProcessFacts>() : await this.#readRuns(missing);
    const schedules = await this.#readSchedules(records);
    const serving = await this.#readServing(records);
    const limited = limitedApps(records);
    const before = this.#kept;
    this.#kept = new Map();
    return new Map(
      records.map((record) => {
        const known = before.get(runKey(record)) ?? fresh.get(record.pmId) ?? {};
        if (isAtRest(record)) this.#kept.set(runKey(record), known);
        const schedule = schedules.get(record.pmId);
        const others = isWithoutPid(record) ? limited.filter((name) => name !== record.name) : [];
        return [
          record.pmId,
          {
            ...known,
            ...serving.get(record.pmId),
            ...(schedule !== undefined && { schedule }),
            ...(others.length > 0 && { limitedOthers: others }),
          },
        ];
      }),
    );
  }

  /** A look costs more than PM2's list, so only what does not serve is looked at again each time. */
  async #readServing(records: readonly ProcessRecord[]): Promise<ReadonlyMap<number, ServingFacts>> {
    const { clock } = this.#ports;
    const last = this.#serving;
    const isLoading = records.some((record) => isInLoadingTime(record, clock.now()));
    const isFresh = last !== undefined && clock.elapsed() - last.atMs < SERVING_MS;
    if (isFresh && !isLoading && isServing(last.facts)) return last.facts;
    const facts = await readServing(this.#ports, records, this.#hungSince);
    const hung = records.filter(({ pmId }) => facts.get(pmId)?.hung !== undefined).flatMap(({ pid }) => pid ?? []);
    this.#hungSince = new Map(hung.map((pid) => [pid, this.#hungSince.get(pid) ?? clock.now()]));
    this.#serving = { atMs: clock.elapsed(), facts };
    return facts;
  }

  async #readRuns(records: readonly ProcessRecord[]): Promise<Map<number, ProcessFacts>> {
    const { clock } = this.#ports;
    const epochMs = clock.now();
    const starts = records.map(({ lastStartAt }) => lastStartAt ?? epochMs);
    const entries = await this.#readLog(Math.min(epochMs - OBSERVED_MS, ...starts) - MAX_ZONE_MS);
    const audited = records.some(needsAudit) ? await this.#readAudit(Math.min(...starts) - 1000) : [];
    const read = records.map(async (record): Promise<[number, ProcessFacts]> => {
      const facts = logFacts(entries, record, epochMs);
      const lastEnd = needsAudit(record) ? attributeStop(record, facts.lastEnd, audited) : facts.lastEnd;
      const hasErrorBlock = await this.#hasErrorBlock(record);
      return [record.pmId, { ...facts, ...(lastEnd !== undefined && { lastEnd }), hasErrorBlock }];
    });
    return new Map(await Promise.all(read));
  }

  /** Without PM2's log, as under `pm2-runtime`, its list has to be enough. */
  async #readLog(sinceMs: number): Promise<readonly LogEntry[]> {
    const limit = { entries: MAX_ENTRIES, upToMs: Infinity };
    const log = await this.#ports.processLogs.readPm2Log({ sinceMs, limit }).catch(() => undefined);
    return log?.entries ?? [];
  }

  async #readAudit(since: number) {
    const page = await this.#ports.audit.newest({ limit: MAX_AUDIT_RECORDS, since }).catch(() => undefined);
    return page?.records ?? [];
  }

  async #hasErrorBlock(record: ProcessRecord): Promise<boolean> {
    if (appKind(record.declaration.settings) === "service") return false;
    const tail = await this.#ports.processLogs.readErrorTail(record).catch(() => undefined);
    if (tail === undefined || record.lastStartAt === null || tail.writtenMs < record.lastStartAt) return false;
    return tail.lines.some((line) => ERROR_LINE.test(line));
  }

  async #readSchedules(records: readonly ProcessRecord[]): Promise<Map<number, ScheduleFacts>> {
    const nowMs = this.#ports.clock.now();
    const jobs = records.flatMap((record) => {
      const { cronRestart: pattern, pmId, lastStartAt, createdAt } = record;
      if (pattern === null || appKind(record.declaration.settings) !== "job") return [];
      return [{ pmId, pattern, sinceMs: lastStartAt ?? createdAt ?? nowMs }];
    });
    // Two times for each job: the next one from now on, and the first one after its last start.
    const moments = jobs.flatMap(({ pattern, sinceMs }) => [
      { pattern, afterMs: nowMs },
      { pattern, afterMs: sinceMs },
    ]);
    const times = await this.#ports.schedules.next(moments);
    return new Map(
      jobs.flatMap(({ pmId }, index): [number, ScheduleFacts][] => {
        const facts = times && scheduleFacts(times, index);
        return facts === undefined ? [] : [[pmId, facts]];
      }),
    );
  }
}

/** A process that cannot be seen stays so: a further look would show no more. */
function isServing(facts: ReadonlyMap<number, ServingFacts>): boolean {
  return [...facts.values()].every(({ hung, notLoaded }) => hung === undefined && notLoaded === undefined);
}

function scheduleFacts({ timesMs, zone }: ScheduleTimes, index: number): ScheduleFacts | undefined {
  const [nextMs = null, dueMs = null] = timesMs.slice(index * 2, index * 2 + 2);
  return nextMs === "invalid" || dueMs === "invalid" ? undefined : { nextMs, dueMs, zone };
}

const ERROR_LINE = /^(?:\S+ )?(?:Uncaught )?\w*(?:Error|Exception)\b|^\s+at \S/;

function runKey({ pmId, uniqueId, status, lastStartAt, restartCount, exitCode }: ProcessRecord): string {
  return JSON.stringify([pmId, uniqueId, status, lastStartAt, restartCount, exitCode]);
}

/** A process that has run well for long needs no look into PM2's log. */
function needsLog(record: ProcessRecord): boolean {
  if (isAtRest(record)) return true;
  if (appKind(record.declaration.settings) === "job") return true;
  return record.restartCount >= MIN_LOOP_RESTARTS;
}

function needsAudit(record: ProcessRecord): boolean {
  return isAtRest(record) && appKind(record.declaration.settings) !== "job";
}

function limitedApps(records: readonly ProcessRecord[]): string[] {
  const limited = records.filter(
    ({ pid, declaration }) => pid !== null && typeof declaration.settings.maxMemoryRestart === "number",
  );
  return [...new Set(limited.map(({ name }) => name))];
}
