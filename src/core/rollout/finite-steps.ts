/** Steps of jobs and tasks, which no plan may run a second time. */
import { appKind } from "../running/kind.ts";
import { isAtRest } from "../running/state.ts";
import { pmIdsOf } from "./difference.ts";
import type { Comparison } from "./compare.ts";
import { createAppStep, type DecidedStep } from "./step.ts";

/**
 * PM2 takes the definition of a job without a run: at its next time, the schedule starts it. A task that has ended is
 * not run again for a new definition either. Returns `undefined` if the steps of a service are right.
 */
export function createFiniteSteps(comparison: Comparison): DecidedStep[] | undefined {
  const { kind, processes, differences, instances } = comparison;
  if (kind === "service") return undefined;
  if (kind === "task" && (processes.length === 0 || !processes.every(isAtRest))) return undefined;
  if (kind === "task" && differences.every(({ state }) => state === "stopped")) return undefined;
  const step = createAppStep(comparison, "register", differences, processes);
  const endsService = processes.some((one) => !isAtRest(one) && appKind(one.declaration.settings) === "service");
  return [
    {
      ...step,
      pmIds: pmIdsOf(processes),
      instances: { from: processes.length, to: instances },
      disruption: endsService ? "down" : "none",
    },
  ];
}
