import { readHealth, readMilliseconds, rolloutMembers } from "./members.ts";

export interface RolloutSettings {
  readonly minHealthyMs: number;
  readonly deadlineMs: number;
  readonly autoRevert: boolean;
  readonly preflight: boolean;
  readonly keepReleases: number;
  /** By the suffix of the app name. */
  readonly health: Readonly<Record<string, HealthSettings>>;
}

export interface HealthSettings {
  readonly protocol?: "http" | "websocket" | "grpc" | "none";
  readonly path?: string;
  /** A text is the name of the variable with the port. */
  readonly port?: number | string;
  readonly service?: string;
}

/** Later members `rollout` override earlier ones. */
export function mergeSettings(...members: readonly unknown[]): RolloutSettings {
  const known = Object.keys(rolloutMembers);
  const all = Object.assign({}, ...members) as Readonly<Record<string, unknown>>;
  const {
    minHealthyTime = "2s",
    healthyDeadline = "30s",
    ...others
  } = Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name)));
  const { autoRevert = true, preflight = false, keepReleases = 10 } = others as Partial<RolloutSettings>;
  return {
    minHealthyMs: readMilliseconds(minHealthyTime) ?? 0,
    deadlineMs: readMilliseconds(healthyDeadline) ?? 0,
    autoRevert,
    preflight,
    keepReleases,
    health: Object.assign({}, ...members.map((one) => readHealth(one))) as RolloutSettings["health"],
  };
}
