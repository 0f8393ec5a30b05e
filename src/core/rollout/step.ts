import type { PlanStep, PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

export interface DecidedStep extends Omit<PlanStep, "why"> {
  readonly why: readonly Difference[];
}

export function findFormerName({ why }: Pick<DecidedStep, "why">): string | undefined {
  const running = why.find(({ field, state }) => field === "app" && state === "different")?.running;
  return typeof running === "string" ? running : undefined;
}

export function stepNames(step: Pick<DecidedStep, "app" | "why">): string[] {
  const former = findFormerName(step);
  return former === undefined ? [step.app] : [step.app, former];
}

export function isAppStep({ do: kind }: { readonly do: string }): boolean {
  return kind !== "save" && kind !== "preflight";
}

export function createAppStep(
  { app }: { readonly app: { readonly name: string } },
  kind: PlanStep["do"],
  why: readonly Difference[],
  processes: readonly ProcessRecord[],
): DecidedStep {
  return { do: kind, app: app.name, pmIds: pmIdsOf(processes), disruption: "none", why, notes: [] };
}

export interface Difference extends PlanReason {
  readonly pmIds: readonly number[];
}

export function difference(
  field: Difference["field"],
  state: Difference["state"],
  pmIds: readonly number[],
  more: Partial<Difference> = {},
): Difference {
  return { field, state, key: null, declared: null, running: null, pmIds, ...more };
}

export function pmIdsOf(processes: readonly ProcessRecord[]): number[] {
  return processes.map(({ pmId }) => pmId).toSorted((a, b) => a - b);
}
