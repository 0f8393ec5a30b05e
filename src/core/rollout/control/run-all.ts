import type { ProcessAction } from "../../api/names.ts";
import type { Progress } from "../../access/caller.ts";
import { groupBy } from "../../words/group-by.ts";
import { describeError, SvcmError } from "../../api/errors.ts";
import { mergeOutcomes, type Outcome, type Step } from "./action.ts";

interface Failure {
  readonly label: string;
  readonly error: SvcmError;
}

/** The same limit as PM2's own, so that a whole namespace is never down at once. */
const MAX_CONCURRENT = 4;

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
  const queue = [...groupBy<Step, string | Step>(steps, (step) => step.app ?? step).values()];
  const runStep = async ({ label, run }: Step): Promise<boolean> => {
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
  const worker = async (): Promise<void> => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      let step = group.shift();
      while (step !== undefined && (await runStep(step))) step = group.shift();
      untouched.push(...group.map(({ label }) => label));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
  const outcome = mergeOutcomes(done);
  if (failures.length > 0) throw partialFailure(action, { count: steps.length, failures, untouched, outcome });
  return outcome;
}

interface PartialResult {
  readonly count: number;
  readonly failures: readonly Failure[];
  readonly untouched: readonly string[];
  readonly outcome: Outcome;
}

function partialFailure(action: ProcessAction, { count, failures, untouched, outcome }: PartialResult): SvcmError {
  const reasons = failures.map(({ label, error }) => `${label}: ${describeError(error).body.details ?? error.message}`);
  const succeeded = outcome.affected.map(({ name, pmId }) => `${name} (id ${pmId})`).join(", ") || "none";
  const notStarted =
    untouched.length === 0 ? "" : ` Not begun because an instance before failed: ${untouched.join(", ")}.`;
  const isRefusal = failures.every(({ error }) => error.kind === "PROCESS_ACTION_REFUSED");
  return new SvcmError(isRefusal ? "PROCESS_ACTION_REFUSED" : "PROCESS_ACTION_FAILED", {
    code: failures[0]?.error.body.code ?? "PROCESS_ACTION_FAILED",
    details: `The ${action} of ${failures.length} of ${count} failed. ${reasons.join(" ")} Succeeded: ${succeeded}.${notStarted}`,
  });
}
