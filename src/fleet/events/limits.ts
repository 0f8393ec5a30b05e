import type { NatsProject } from "../../core/index.ts";
import { parseDuration } from "../../core/words/duration.ts";

/** The oldest records are dropped first. */
export interface StreamLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** A node with many records drops its own, not those of other nodes. */
  readonly maxPerNode: number;
}

const UNITS = { MB: 2 ** 20, GB: 2 ** 30 };

export function limitsOf({ events }: NatsProject): StreamLimits {
  const { maxAge = "30d", maxBytes = "1GB", maxPerNode = 100_000 } = events;
  const [, count, unit] = /^(\d+)([MG]B)$/.exec(maxBytes) ?? [];
  return {
    maxAgeMs: parseDuration(maxAge, /^(\d+)([hd])$/) ?? 0,
    maxBytes: Number(count) * UNITS[unit as keyof typeof UNITS],
    maxPerNode,
  };
}
