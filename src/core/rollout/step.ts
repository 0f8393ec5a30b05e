import type { PlanStep } from "../api/rollout.ts";
import type { Difference } from "./compare.ts";

export interface DecidedStep extends Omit<PlanStep, "why"> {
  readonly why: readonly Difference[];
}

export function formerNameOf({ why }: Pick<DecidedStep, "why">): string | undefined {
  const running = why.find(({ field, state }) => field === "app" && state === "different")?.running;
  return typeof running === "string" ? running : undefined;
}

export function namesOf(step: Pick<DecidedStep, "app" | "why">): string[] {
  const former = formerNameOf(step);
  return former === undefined ? [step.app] : [step.app, former];
}

export function isOfAnApp({ do: kind }: { readonly do: string }): boolean {
  return kind !== "save" && kind !== "preflight";
}
