/**
 * `svcm/startup`: the startup contract for any backend to import.
 *
 * ```ts
 * import { requireStartup } from "svcm/startup";
 * const plan = requireStartup("rest", process.env);
 * ```
 */
import { availableParallelism } from "node:os";
import { packagedRuntimeContract } from "../facts/packaged.generated.ts";
import {
  decideStartup,
  type Entrypoint,
  type EnvValues,
  type StartupDecision,
  type StartupFacts,
  type StartupPlan,
} from "./contract.ts";
import type { Issue } from "../contract/issue.ts";

export type { Entrypoint, EnvValues, RealtimePlan, StartupDecision, StartupPlan, WebSocketPlan } from "./contract.ts";
export type { Issue } from "../contract/issue.ts";
export type { Secret } from "../secrets/redact.ts";

/** What a backend may tell of itself; the worker count defaults to this machine's CPU cores. */
export type StartupOptions = Partial<StartupFacts>;

/** Thrown by {@link requireStartup}. The message names every reason, one a line, and no secret. */
export class StartupRefused extends Error {
  override readonly name = "StartupRefused";
  readonly entrypoint: Entrypoint;
  readonly issues: readonly Issue[];

  constructor(entrypoint: Entrypoint, issues: readonly Issue[]) {
    super([`The ${entrypoint} entrypoint must not start:`, ...issues.map(({ message }) => `  ${message}`)].join("\n"));
    this.entrypoint = entrypoint;
    this.issues = issues;
  }
}

/** Decides by the packaged runtime contract. Never throws. */
export function checkStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupDecision {
  return decideStartup(packagedRuntimeContract, entrypoint, values, { cpuCores: availableParallelism(), ...options });
}

/** The plan to start with. @throws {StartupRefused} where the contract says no. */
export function requireStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupPlan {
  const decision = checkStartup(entrypoint, values, options);
  if (decision.mayStart) return decision.plan;
  throw new StartupRefused(entrypoint, decision.issues);
}
