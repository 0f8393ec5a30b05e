import type { Begun, Plan, Release, RollbackPlan } from "../../core/api/rollout.ts";
import type { Ask, Query } from "./request.ts";

/** Must match the plan, because its id depends on them. */
export type PlanChoices = Pick<Plan["choices"], "prune" | "preflight">;

interface ApplyRequest {
  readonly environment: string;
  readonly plan: string;
  readonly allowDirty: boolean;
  readonly message: string | undefined;
}

export function rolloutCalls(ask: Ask, of: (query: Query) => Query) {
  return {
    plan: (environment: string, choices: PlanChoices, signal?: AbortSignal) =>
      ask<Plan>({
        path: "/api/runtime/plan",
        query: of({
          environment: environment || undefined,
          ...(choices.prune && { prune: "true" }),
          ...(choices.preflight && { preflight: "true" }),
        }),
        signal,
      }),
    apply: (asked: PlanChoices & ApplyRequest) =>
      ask<Begun>({ path: "/api/runtime/apply", body: { ...of({}), ...asked } }),
    rollbackPlan: (release: string, signal?: AbortSignal) =>
      ask<RollbackPlan>({ path: "/api/runtime/rollback", query: { release }, signal }),
    rollback: (release: string, plan: string) => ask<Begun>({ path: "/api/runtime/rollback", body: { release, plan } }),
    releases: (signal?: AbortSignal) =>
      ask<{ readonly releases: readonly Release[] }>({ path: "/api/runtime/releases", signal }),
    release: (id: string) => ask<Release>({ path: `/api/runtime/releases/${encodeURIComponent(id)}` }),
  };
}
