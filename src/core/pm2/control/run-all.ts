import type { ProcessAction } from "../../api/names.ts";
import { describeError, SvcmError } from "../../errors.ts";
import { merged, type Outcome, type Step } from "./acting.ts";

interface Failure {
  readonly label: string;
  readonly error: SvcmError;
}

/** As many as PM2 itself acts on at once, so that a whole namespace is never down together. */
const AT_A_TIME = 4;

/**
 * Runs every step, also after one has failed.
 *
 * @throws {SvcmError} the error of the only step; otherwise PROCESS_ACTION_FAILED, or PROCESS_ACTION_REFUSED if every
 *   failure is a refusal: it names what was done and what was not. Anything but an SvcmError passes through.
 */
export async function runAll(action: ProcessAction, steps: readonly Step[]): Promise<Outcome> {
  const [only] = steps;
  if (only !== undefined && steps.length === 1) return only.run();
  const done: Outcome[] = [];
  const failures: Failure[] = [];
  const waiting = [...steps];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        done.push(await step.run());
      } catch (error) {
        if (!(error instanceof SvcmError)) throw error;
        failures.push({ label: step.label, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const outcome = merged(done);
  if (failures.length > 0) throw partialFailure(action, steps.length, failures, outcome);
  return outcome;
}

function partialFailure(
  action: ProcessAction,
  count: number,
  failures: readonly Failure[],
  { affected }: Outcome,
): SvcmError {
  const reasons = failures.map(({ label, error }) => `${label}: ${describeError(error).body.details ?? error.message}`);
  const succeeded = affected.map(({ name, pmId }) => `${name} (id ${pmId})`).join(", ") || "none";
  const isRefusal = failures.every(({ error }) => error.kind === "PROCESS_ACTION_REFUSED");
  return new SvcmError(isRefusal ? "PROCESS_ACTION_REFUSED" : "PROCESS_ACTION_FAILED", {
    code: failures[0]?.error.body.code ?? "PROCESS_ACTION_FAILED",
    details: `The ${action} of ${failures.length} of ${count} failed. ${reasons.join(" ")} Succeeded: ${succeeded}.`,
  });
}
