import type { ProcessAction } from "../../api/names.ts";
import type { Progress } from "../../caller.ts";
import { describeError, SvcmError } from "../../errors.ts";
import { merged, type Outcome, type Step } from "./acting.ts";

interface Failure {
  readonly label: string;
  readonly error: SvcmError;
}

/** The same limit as PM2's own, so that a whole namespace is never down at once. */
const AT_A_TIME = 4;

/**
 * In parallel across apps, in sequence within one: after a failure, its remaining instances stay as they are.
 * @throws {SvcmError} the error of the only step; otherwise PROCESS_ACTION_FAILED (PROCESS_ACTION_REFUSED if every
 * failure is a refusal) with the steps done and not done. Every other error passes through.
 */
export async function runAll(action: ProcessAction, steps: readonly Step[], report?: Progress): Promise<Outcome> {
  const [only] = steps;
  if (only !== undefined && steps.length === 1) return only.run();
  const done: Outcome[] = [];
  const failures: Failure[] = [];
  const untouched: string[] = [];
  const waiting = turns(steps);
  const take = async ({ label, run }: Step): Promise<boolean> => {
    try {
      done.push(await run());
      report?.({ done: done.length, total: steps.length, label });
      return true;
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      failures.push({ label, error });
      return false;
    }
  };
  const work = async (): Promise<void> => {
    for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
      let step = turn.shift();
      while (step !== undefined && (await take(step))) step = turn.shift();
      untouched.push(...turn.map(({ label }) => label));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const outcome = merged(done);
  if (failures.length > 0) throw partialFailure(action, { count: steps.length, failures, untouched, outcome });
  return outcome;
}

function turns(steps: readonly Step[]): Step[][] {
  const apps = new Map<string | Step, Step[]>();
  for (const step of steps) {
    const key = step.app ?? step;
    apps.set(key, [...(apps.get(key) ?? []), step]);
  }
  return [...apps.values()];
}

interface Part {
  readonly count: number;
  readonly failures: readonly Failure[];
  readonly untouched: readonly string[];
  readonly outcome: Outcome;
}

function partialFailure(action: ProcessAction, { count, failures, untouched, outcome }: Part): SvcmError {
  const reasons = failures.map(({ label, error }) => `${label}: ${describeError(error).body.details ?? error.message}`);
  const succeeded = outcome.affected.map(({ name, pmId }) => `${name} (id ${pmId})`).join(", ") || "none";
  const left = untouched.length === 0 ? "" : ` Not begun because an instance before failed: ${untouched.join(", ")}.`;
  const isRefusal = failures.every(({ error }) => error.kind === "PROCESS_ACTION_REFUSED");
  return new SvcmError(isRefusal ? "PROCESS_ACTION_REFUSED" : "PROCESS_ACTION_FAILED", {
    code: failures[0]?.error.body.code ?? "PROCESS_ACTION_FAILED",
    details: `The ${action} of ${failures.length} of ${count} failed. ${reasons.join(" ")} Succeeded: ${succeeded}.${left}`,
  });
}
