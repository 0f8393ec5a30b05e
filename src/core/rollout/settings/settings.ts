import { healthIn, millisecondsIn, rolloutMembers } from "./members.ts";

/** The settings of an apply, complete with the defaults. */
export interface RolloutSettings {
  /** Time that a new process has to stay online. */
  readonly minHealthyMs: number;
  /** Time that each process has to become healthy. */
  readonly deadlineMs: number;
  readonly autoRevert: boolean;
  readonly preflight: boolean;
  readonly keepReleases: number;
  /** By the suffix of an app's name. */
  readonly health: Readonly<Record<string, HealthSettings>>;
}

export interface HealthSettings {
  readonly protocol?: "http" | "websocket" | "grpc" | "none";
  readonly path?: string;
  /** A port, or the name of the variable that holds it. */
  readonly port?: number | string;
  /** Of the gRPC health protocol. */
  readonly service?: string;
}

/** Combines members `rollout` that have no findings. A later one wins, member by member. */
export function settingsFrom(...given: readonly unknown[]): RolloutSettings {
  const known = Object.keys(rolloutMembers);
  const all = Object.assign({}, ...given) as Readonly<Record<string, unknown>>;
  const {
    minHealthyTime = "2s",
    healthyDeadline = "30s",
    ...others
  } = Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name)));
  const { autoRevert = true, preflight = false, keepReleases = 10 } = others as Partial<RolloutSettings>;
  return {
    minHealthyMs: millisecondsIn(minHealthyTime) ?? 0,
    deadlineMs: millisecondsIn(healthyDeadline) ?? 0,
    autoRevert,
    preflight,
    keepReleases,
    health: Object.assign({}, ...given.map((one) => healthIn(one))) as RolloutSettings["health"],
  };
}
