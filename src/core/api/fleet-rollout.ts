/** The record of a rollout over the nodes of a fleet: its lock, its journal, and what `svcm rollout status` prints. */
import * as z from "zod/mini";
import type { BodyOf } from "./body-of.ts";
import { inputs } from "./inputs.ts";

const name = z.string().check(z.minLength(1), z.maxLength(80));
const count = z.int().check(z.minimum(0));

/**
 * `waiting` was not begun. `unchanged` had nothing to do. `applying` and `returning` were asked, and have not answered.
 * `failed` runs as before. `half` needs a rollback. `returned` runs as before the rollout.
 */
export const nodeStates = [
  "waiting",
  "unchanged",
  "applying",
  "applied",
  "failed",
  "half",
  "returning",
  "returned",
] as const;

const rolledNode = z.strictObject({
  node: name,
  /** Id of the plan that was shown. */
  plan: z.nullable(z.string()),
  state: z.enum(nodeStates),
  /** Of the last action; each action of a rollout has another number. */
  step: z.optional(count),
  release: z.optional(z.string()),
  /** Why it failed, is half done, or has not answered. */
  code: z.optional(z.string()),
  reason: z.optional(z.string()),
});

export const fleetRolloutBody = z.strictObject({
  id: name,
  environment: z.string(),
  /** The user whose svcm carries it out, or did so last. */
  owner: name,
  /** The run of svcm that holds the lock; null if it has stopped. */
  holder: z.nullable(name),
  message: z.optional(z.string()),
  /** By the clock of the machine that began it. */
  startedAt: z.iso.datetime(),
  direction: z.enum(["apply", "rollback"]),
  /** Null while the lock is held. */
  outcome: z.nullable(z.enum(["applied", "returned", "unlocked"])),
  maxParallel: z.int().check(z.minimum(1)),
  choices: inputs["rollout.apply"],
  /** The number of the last action. */
  steps: count,
  nodes: z.array(rolledNode).check(z.minLength(1), z.maxLength(10_000)),
});

export type FleetRollout = BodyOf<typeof fleetRolloutBody>;
export type RolledNode = FleetRollout["nodes"][number];
