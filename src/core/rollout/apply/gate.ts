import type { Code } from "../../api/codes.generated.ts";
import { SvcmError } from "../../errors.ts";
import { isUp, OnlineRuns } from "../../pm2/control/verdict.ts";
import { LOOK_EVERY_MS } from "../../pm2/control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { HealthAnswer } from "../../ports/health.ts";
import type { Ports } from "../../ports/index.ts";
import type { AppProbe } from "../settings/probe.ts";

/** Answers in a row that make a process good, or bad. */
const ENOUGH = 3;
type Judged = Pick<ProcessRecord, "name" | "pmId" | "pid">;

/** The condition under which a process is good. */
export interface Demand {
  readonly probe: AppProbe | undefined;
  readonly deadlineMs: number;
  readonly minHealthyMs: number;
}

/**
 * Waits until a process has stayed online and answers its probe three times in a row. It fails at once if the process ends,
 * or answers three times in a row that it is not healthy. A process without such a path or service is judged without it.
 *
 * @throws {SvcmError} PROCESS_ACTION_FAILED with HEALTH_CRASHED, HEALTH_STATUS or HEALTH_UNREACHABLE
 */
export async function gate(ports: Ports, record: Judged, { probe, deadlineMs, minHealthyMs }: Demand): Promise<void> {
  const until = ports.clock.elapsed() + deadlineMs;
  const runs = new OnlineRuns();
  const score = new Score();
  for (;;) {
    const now = await stillUp(ports, record);
    const nowMs = ports.clock.elapsed();
    const onlineMs = runs.onlineMs(now, nowMs);
    const answer: HealthAnswer = probe === undefined ? { state: "absent" } : await ports.health.ask(probe);
    score.count(answer, now);
    if (score.isGood && onlineMs >= minHealthyMs) return;
    const isLate = nowMs >= until;
    if (isLate || score.isBad) throw unhealthy(record, score.problem, deadlineMs);
    await ports.clock.pause(LOOK_EVERY_MS);
  }
}

/** @throws {SvcmError} HEALTH_CRASHED if another run of the process is up, or none */
async function stillUp({ processes }: Ports, record: Judged): Promise<ProcessRecord> {
  const now = (await processes.list()).find(({ pmId }) => pmId === record.pmId);
  if (now !== undefined && isUp(now) && now.pid === record.pid) return now;
  throw failed("HEALTH_CRASHED", record, endOf(now));
}

function unhealthy(record: Judged, problem: Problem | undefined, deadlineMs: number): SvcmError {
  if (problem !== undefined) return failed(problem.code, record, problem.details);
  return failed("HEALTH_UNREACHABLE", record, `It has not answered within ${deadlineMs / 1000} s.`);
}

type Problem = Extract<HealthAnswer, { readonly state: "unhealthy" }>;

/** Equal answers in a row. */
class Score {
  #good = 0;
  #bad = 0;
  #problem: Problem | undefined;

  /** In a cluster another instance may have answered: then the answer does not count. */
  count(answer: HealthAnswer, { pid }: ProcessRecord): void {
    if (answer.state === "healthy" && answer.pid !== null && answer.pid !== pid) return;
    if (answer.state === "unhealthy") {
      this.#problem = answer;
      this.#good = 0;
      // A process that does not listen yet is not bad.
      this.#bad = answer.code === "HEALTH_STATUS" ? this.#bad + 1 : 0;
      return;
    }
    this.#bad = 0;
    this.#good += 1;
  }

  /** The last reason against the process. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  get isGood(): boolean {
    return this.#good >= ENOUGH;
  }

  get isBad(): boolean {
    return this.#bad >= ENOUGH;
  }
}

function endOf(now: ProcessRecord | undefined): string {
  if (now === undefined) return "PM2 no longer lists it.";
  const code = now.exitCode === null ? "" : `, last with exit code ${now.exitCode}`;
  if (isUp(now)) return `It did not stay online: it ended and PM2 started it again${code}.`;
  return `It did not stay online: PM2 shows it as ${now.status}${code}.`;
}

function failed(code: Code, { name, pmId }: Judged, details: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", { code, details: `${name} (id ${pmId}) is not healthy. ${details}` });
}
