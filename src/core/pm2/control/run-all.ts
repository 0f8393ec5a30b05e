import type { ProcessAction } from "../../api/names.ts";
import { describeError, SvcmError } from "../../errors.ts";
import type { Outcome } from "./act-on.ts";
import { merged } from "./start-declared.ts";

/** One process or app that an action is for. */
export interface Step {
  readonly what: string;
  readonly run: () => Promise<Outcome>;
}

/** Some at a time, as PM2 itself does: a whole namespace is not down at once. */
const AT_A_TIME = 4;

/**
 * Runs every step. One that fails does not keep the others from running; then the answer is a refusal
 * that names what was done and what was not.
 *
 * @throws {SvcmError} the refusal of the only step, or PROCESS_ACTION_FAILED; whatever is a defect.
 */
export async function runAll(action: ProcessAction, steps: readonly Step[]): Promise<Outcome> {
  const [only] = steps;
  if (only !== undefined && steps.length === 1) return only.run();
  const done: Outcome[] = [];
  const failed: { what: string; error: SvcmError }[] = [];
  const waiting = [...steps];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        done.push(await step.run());
      } catch (error) {
        if (!(error instanceof SvcmError)) throw error;
        failed.push({ what: step.what, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const outcome = merged(done);
  if (failed.length > 0) throw partly(action, steps.length, failed, outcome);
  return outcome;
}

function partly(
  action: ProcessAction,
  count: number,
  failed: readonly { readonly what: string; readonly error: SvcmError }[],
  { affected }: Outcome,
): SvcmError {
  const reasons = failed.map(({ what, error }) => `${what}: ${describeError(error).body.details ?? error.message}`);
  const succeeded = affected.map(({ name, pmId }) => `${name} (id ${pmId})`).join(", ") || "none";
  return new SvcmError("PROCESS_ACTION_FAILED", {
    code: failed[0]?.error.facts.code ?? "PROCESS_ACTION_FAILED",
    details: `${failed.length} of ${count} could not be given the ${action}. ${reasons.join(" ")} Succeeded: ${succeeded}.`,
  });
}
