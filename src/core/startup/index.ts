/**
 * `svcm/startup`: the startup contract for any backend to import.
 *
 * ```ts
 * import { requireStartup } from "svcm/startup";
 * const plan = requireStartup("rest", process.env);
 * ```
 */
import { availableParallelism } from "node:os";
import { readContractSync, type ContractLocation } from "./contract-sync.node.ts";
import type { Issue } from "../api/issue.ts";
import { decideStartup, type StartupDecision, type StartupContext } from "./contract.ts";
import type { Entrypoint, EnvValues, StartupPlan } from "./read.ts";

export type { Issue } from "../api/issue.ts";
export type { Secret } from "../secrets/redact.ts";
export type { StartupDecision } from "./contract.ts";
export type {
  CarriedDrivers,
  Entrypoint,
  EnvValues,
  RealtimePlan,
  StartupKey,
  StartupPlan,
  WebSocketPlan,
} from "./read.ts";

/** Facts about the backend. The worker count defaults to the CPU cores of this machine. */
export interface StartupOptions extends Partial<StartupContext> {
  /**
   * Path of the runtime contract, relative to the working directory. The default is `config/runtime-contract.yaml` of
   * the repository around the working directory; without that file, the packaged contract.
   */
  readonly contract?: string;
}

/** Thrown by {@link requireStartup}. The message has every reason on its own line, and no secret. */
export class StartupRefused extends Error {
  override readonly name = "StartupRefused";
  /** The requested entrypoint. */
  readonly entrypoint: Entrypoint;
  /** Every reason, in the order of the message. */
  readonly issues: readonly Issue[];

  constructor(entrypoint: Entrypoint, issues: readonly Issue[]) {
    super([`The ${entrypoint} entrypoint must not start:`, ...issues.map(({ message }) => `  ${message}`)].join("\n"));
    this.entrypoint = entrypoint;
    this.issues = issues;
  }
}

/**
 * Decides if an entrypoint may start, by the same contract as `svcm startup check` in the same folder. Never throws: an
 * unreadableFact contract, or one without startup keys, is itself a reason.
 */
export function checkStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupDecision {
  const { contract, ...context } = options;
  const location: ContractLocation = contract === undefined ? { env: process.env } : { path: contract };
  const read = readContractSync(location);
  if (read.value === undefined) return { mayStart: false, issues: read.issues };
  return decideStartup(read.value, entrypoint, values, { cpuCores: availableParallelism(), ...context });
}

/** Returns the plan to start with. @throws {StartupRefused} if the entrypoint may not start */
export function requireStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupPlan {
  const decision = checkStartup(entrypoint, values, options);
  if (decision.mayStart) return decision.plan;
  throw new StartupRefused(entrypoint, decision.issues);
}
