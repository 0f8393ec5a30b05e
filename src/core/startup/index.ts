/**
 * `svcm/startup`: the startup contract for any backend to import.
 *
 * ```ts
 * import { requireStartup } from "svcm/startup";
 * const plan = requireStartup("rest", process.env);
 * ```
 */
import { availableParallelism } from "node:os";
import { readContractNow, type ContractPlace } from "../adapters/contract-now.ts";
import type { Issue } from "../api/issue.ts";
import { decideStartup, type StartupDecision, type StartupFacts } from "./contract.ts";
import type { Entrypoint, EnvValues, StartupPlan } from "./plan.ts";

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
} from "./plan.ts";

/** Facts about the backend. The worker count defaults to the CPU cores of this machine. */
export interface StartupOptions extends Partial<StartupFacts> {
  /**
   * Path of the runtime contract to judge by, relative to the working directory. By default it is
   * `config/runtime-contract.yaml` of the repository that the working directory is in, and without one the packaged contract.
   */
  readonly contract?: string;
}

/** Thrown by {@link requireStartup}. The message names every reason, one a line, and no secret. */
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
 * Decides whether an entrypoint may start, by the contract that `svcm startup check` judges by in the same folder.
 * Never throws: a contract that cannot be read, or that has no startup keys, is a reason against it.
 */
export function checkStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupDecision {
  const { contract, ...facts } = options;
  const place: ContractPlace = contract === undefined ? { env: process.env } : { path: contract };
  const read = readContractNow(place);
  if (read.value === undefined) return { mayStart: false, issues: read.issues };
  return decideStartup(read.value, entrypoint, values, { cpuCores: availableParallelism(), ...facts });
}

/** The plan to start with. @throws {StartupRefused} if the contract says no. */
export function requireStartup(entrypoint: Entrypoint, values: EnvValues, options: StartupOptions = {}): StartupPlan {
  const decision = checkStartup(entrypoint, values, options);
  if (decision.mayStart) return decision.plan;
  throw new StartupRefused(entrypoint, decision.issues);
}
