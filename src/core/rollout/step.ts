import type { PlanStep } from "../api/rollout.ts";
import type { Difference } from "./compare.ts";

/** A step whose reasons name their processes. */
export interface DecidedStep extends Omit<PlanStep, "why"> {
  readonly why: readonly Difference[];
}

/** True if the step changes an app. */
export function isOfAnApp({ do: kind }: { readonly do: string }): boolean {
  return kind !== "save" && kind !== "preflight";
}
