import { ownMember } from "../../words/record.ts";
import { type ApplyPorts, readAppliedState } from "../ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { Code } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { exitCodeText, isUp, OnlineRuns, listBy, POLL_INTERVAL_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { listenTimeoutMs } from "../../pm2/settings.ts";
import type { HealthResult, HasHealth } from "../port-deployed.ts";

import { type Circumstances, hasFailedToLoad } from "../../running/read-serving.ts";
import { appKind } from "../../running/code-evidence.ts";
import { readEnd } from "../../running/read-states.ts";
import { hasEndedWell, isEnding } from "../../running/state.ts";
import { type AppProbe, readSettings } from "../settings.ts";
import type { AffectedProcess } from "../control/action.ts";
import { formerProbeFinder } from "./recording.ts";

const REQUIRED_PROBES = 3;
/** With a check every 100 ms: at most 50 a second. */
const MAX_ATTEMPTS = 5;
type GatedProcess = Pick<ProcessRecord, "name" | "pmId" | "pid">;

export interface HealthRequirement {
  readonly probe: AppProbe | undefined;
  readonly deadlineMs: number;
  readonly minHealthyMs: number;
  /** Its app did not run before. */
  readonly isNew?: boolean;
  /** If it is there, a process with `wait_ready` may be silent. */
  readonly onSilent?: () => void;
}

type GatePorts = HasHealth & HasProcesses & Parameters<typeof readEnd>[0];

export function waitUntilHealthy(
  ports: GatePorts,
  record: GatedProcess,
  requirement: HealthRequirement,
): Promise<number | undefined> {
  return new HealthGate(ports, requirement).wait(record);
}

export class HealthGate {
  readonly #ports: GatePorts;
  readonly #requirement: HealthRequirement;
  readonly #runs: OnlineRuns;
  readonly #score = new ProbeScore();
  /** The first check of the process, by svcm's clock. */
  #seenAtMs: number | undefined;

  constructor(ports: GatePorts, requirement: HealthRequirement) {
    this.#ports = ports;
    this.#requirement = requirement;
    this.#runs = new OnlineRuns(ports.processes.queuedMs);
  }

  /**
   * While PM2 has not responded, the old run still serves requests, so only a result with the new pid counts.
   * @throws {SvcmError} PROCESS_ACTION_FAILED with HEALTH_STATUS, at the third such result in a row
   */
  async observe(now: ProcessRecord): Promise<void> {
    const { probe } = this.#requirement;
    if (probe === undefined || !isUp(now)) return;
    this.#runs.onlineMs(now, this.#ports.clock.elapsed());
    // While it boots, only others answer.
    this.#seenAtMs ??= this.#ports.clock.now();
    const answer = await this.#probe(now, probe, this.#score.isTimed ? MAX_ATTEMPTS : 1);
    if (answer === undefined || answer.state === "absent" || answer.pid === null) return;
    this.#record(answer, now);
    if (this.#score.isBad) throw this.#unhealthy(now);
  }

  /**
   * Three good probes in a row make a process healthy, three bad ones fail it. A default probe is skipped if the app
   * does not have its path or service.
   * @returns milliseconds from the start of the process to its readiness, if known
   * @throws {SvcmError} PROCESS_ACTION_FAILED with HEALTH_CRASHED, HEALTH_NOT_READY, HEALTH_STATUS or
   * HEALTH_UNREACHABLE
   */
  async wait(record: GatedProcess): Promise<number | undefined> {
    const { clock } = this.#ports;
    const { probe, deadlineMs, minHealthyMs } = this.#requirement;
    const startedMs = clock.elapsed();
    for (;;) {
      const now = await this.#read(record, startedMs + deadlineMs);
      if (now === undefined) return undefined;
      const nowMs = clock.elapsed();
      const onlineMs = this.#runs.onlineMs(now, nowMs);
      const readyMs = await readReadyMs(this.#ports, now, this.#requirement.onSilent);
      this.#seenAtMs ??= this.#ports.clock.now();
      const answer: HealthResult | undefined =
        probe === undefined ? { state: "absent" } : await this.#probe(now, probe);
      if (answer !== undefined) this.#record(answer, now);
      if (this.#score.isGood && onlineMs >= minHealthyMs) return readyMs ?? this.#score.bootMs;
      // The deadline applies to the probe; the required time online may be longer.
      const limitMs = this.#score.wasGood ? deadlineMs + minHealthyMs : deadlineMs;
      if (this.#score.isBad || nowMs - startedMs >= limitMs) throw this.#unhealthy(record);
      await clock.sleep(Math.max(0, nowMs + POLL_INTERVAL_MS - clock.elapsed()));
    }
  }

  /** Waits until PM2 has concluded an end. */
  async #read(record: GatedProcess, untilMs: number): Promise<ProcessRecord | undefined> {
    const { clock } = this.#ports;
    for (;;) {
      const listed = await listBy(this.#ports, untilMs);
      const isPending = listed.some((one) => one.pmId === record.pmId && isEnding(one));
      if (!isPending || clock.elapsed() >= untilMs) {
        const now = requireUp(listed, record, this.#requirement);
        if (now === undefined) await requireSuccess(this.#ports, listed, record);
        return now;
      }
      await clock.sleep(POLL_INTERVAL_MS);
    }
  }

  /** In a cluster, another instance may answer, so it asks again on a new connection. */
  async #probe({ pid }: ProcessRecord, probe: AppProbe, maxAttempts = MAX_ATTEMPTS): Promise<HealthResult | undefined> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const answer = await this.#ports.health.check(probe);
      if (answer.state === "absent" || answer.pid === null || answer.pid === pid) return answer;
    }
    return undefined;
  }

  #record(answer: HealthResult, { pid, startedAt }: ProcessRecord): void {
    const nowMs = this.#ports.clock.now();
    // If it already answered at its first check, it was ready at some time before: its age says nothing of its boot.
    const isKnown = this.#score.hasFailed || (this.#seenAtMs ?? nowMs) - (startedAt ?? 0) <= POLL_INTERVAL_MS * 2;
    this.#score.count(answer, pid, isKnown ? nowMs - (startedAt ?? 0) : undefined);
  }

  #unhealthy(record: GatedProcess): SvcmError {
    const { problem } = this.#score;
    if (problem !== undefined) return healthError(problem.code, record, problem.details);
    const details = `It has not answered within ${this.#requirement.deadlineMs / 1000} s.`;
    return healthError("HEALTH_UNREACHABLE", record, details);
  }
}

/** PM2 also shows a process as online when it has stopped waiting. @throws {SvcmError} HEALTH_NOT_READY */
async function readReadyMs(
  { processes }: HasProcesses,
  record: ProcessRecord,
  onSilent?: HealthRequirement["onSilent"],
): Promise<number | undefined> {
  const { pmId, startedAt, declaration } = record;
  const readyTimes = declaration.settings.waitReady === true ? await processes.readyTimes() : undefined;
  if (readyTimes === undefined || startedAt === null) return undefined;
  const readyMs = (readyTimes.get(pmId) ?? 0) - startedAt;
  if (readyMs >= 0) return readyMs;
  if (onSilent !== undefined) {
    onSilent();
    return undefined;
  }
  const limit = listenTimeoutMs(declaration.settings) / 1000;
  throw healthError(
    "HEALTH_NOT_READY",
    record,
    `It did not report that it was ready within its listen_timeout of ${limit} s.`,
  );
}

/** @returns `undefined` for a task that has ended as it should */
function requireUp(
  listed: readonly ProcessRecord[],
  record: GatedProcess,
  { isNew = false, probe }: HealthRequirement,
): ProcessRecord | undefined {
  const now = listed.find(({ pmId }) => pmId === record.pmId);
  if (now !== undefined && hasEndedWell(now, !isNew || probe !== undefined)) return undefined;
  if (now !== undefined && isUp(now) && now.pid === record.pid) return now;
  throw healthError("HEALTH_CRASHED", record, endText(now));
}

/** PM2's list has exit code 0 for an end by a signal, too; its log names the signal. @throws {SvcmError} HEALTH_CRASHED */
async function requireSuccess(
  ports: GatePorts,
  listed: readonly ProcessRecord[],
  { pmId }: GatedProcess,
): Promise<void> {
  for (const record of listed.filter((one) => one.pmId === pmId)) {
    const { name, reason } = (await readEnd(ports, record)).state;
    if (name === "failed") throw healthError("HEALTH_CRASHED", record, `It ended ${reason}.`);
  }
}

/**
 * PM2 keeps a worker online whose module could not be loaded.
 * @throws {SvcmError} PROCESS_ACTION_FAILED with HEALTH_NOT_LOADED
 */
export async function requireLoaded(
  ports: ApplyPorts,
  { pmId }: GatedProcess,
  circumstances: Circumstances,
): Promise<void> {
  const record = (await ports.processes.list()).find((one) => one.pmId === pmId);
  if (record === undefined || appKind(record.declaration.settings) !== "service") return;
  if (!(await hasFailedToLoad(ports, record, circumstances))) return;
  const details = "Its error log ends with an error of this start, and it has no connection.";
  throw healthError("HEALTH_NOT_LOADED", record, details);
}

type Problem = Extract<HealthResult, { readonly state: "unhealthy" }>;

class ProbeScore {
  #good = 0;
  #bad = 0;
  isTimed = false;
  wasGood = false;
  problem: Problem | undefined;
  /** Absent if the first good result may come from another process. */
  bootMs: number | undefined;

  /** It was not ready at an earlier check. */
  hasFailed = false;

  /** @param ageMs of the process, if that is the time of its boot */
  count(answer: HealthResult, pid: number | null, ageMs: number | undefined): void {
    if (answer.state === "unhealthy") {
      this.hasFailed = true;
      this.problem = answer;
      this.#good = 0;
      // A process that is not listening yet is not unhealthy.
      this.#bad = answer.code === "HEALTH_STATUS" || this.wasGood ? this.#bad + 1 : 0;
      return;
    }
    // Only the first good answer counts.
    if (answer.state === "healthy" && answer.pid === pid && !this.isTimed) {
      this.isTimed = true;
      this.bootMs = ageMs;
    }
    this.#bad = 0;
    this.#good += 1;
    this.wasGood ||= this.isGood;
  }

  get isGood(): boolean {
    return this.#good >= REQUIRED_PROBES;
  }

  get isBad(): boolean {
    return this.#bad >= REQUIRED_PROBES;
  }
}

function endText(now: ProcessRecord | undefined): string {
  if (now === undefined) return "PM2 no longer lists it.";
  const code = exitCodeText(now);
  if (isUp(now)) return `It did not stay online: it ended and PM2 started it again${code}.`;
  return `It did not stay online: PM2 shows it as ${now.status}${code}.`;
}

function healthError(code: Code, { name, pmId }: GatedProcess, details: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", { code, details: `${name} (id ${pmId}) is not healthy. ${details}` });
}

/** `health` is declared by the end of the names: `restapi` for `dev-restapi`. */
function declaresHealth(app: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => app === suffix || app.endsWith(`-${suffix}`));
}

/** One by one. @throws {SvcmError} PROCESS_ACTION_FAILED with the code of the gate, and the errors of the settings */
export async function createHealthWaiter(
  ports: ApplyPorts,
  timeoutMs: number | undefined,
  scope: "every app" | "where declared" = "every app",
): Promise<(started: readonly AffectedProcess[]) => Promise<void>> {
  const appliedState = await readAppliedState(ports);
  const [only, ...others] = Object.keys((await ports.facts.project())?.services ?? {});
  const defaultService = others.length === 0 ? (only ?? "") : "";
  const settingsOf = await readSettings(ports, (app) => ownMember(appliedState.apps, app)?.service ?? defaultService);
  const probeOf = formerProbeFinder(appliedState, (app) => settingsOf(app).health);
  return async (started) => {
    const list = await ports.processes.list();
    for (const one of started) {
      const record = list.find(({ pmId }) => pmId === one.pmId);
      const { deadlineMs, minHealthyMs, health } = settingsOf(one.name);
      const limitMs = timeoutMs ?? deadlineMs;
      const isEvery = scope === "every app" || declaresHealth(one.name, Object.keys(health));
      if (isEvery)
        await waitUntilHealthy(ports, one, { probe: record && probeOf(record), deadlineMs: limitMs, minHealthyMs });
      else if (record !== undefined) await readReadyMs(ports, record);
    }
  };
}
