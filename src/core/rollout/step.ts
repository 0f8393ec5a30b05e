import type { PlanStep } from "../api/rollout.ts";
import type { Difference } from "./compare.ts";

/** A step whose reasons name their processes. */
export interface DecidedStep extends Omit<PlanStep, "why"> {
  readonly why: readonly Difference[];
}
