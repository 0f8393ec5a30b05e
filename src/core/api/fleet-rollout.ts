/** The lock and the journal of a rollout, and the source of `svcm rollout status`. */
import * as z from "zod/mini";
import type { BodyOf } from "./body.ts";
import { inputs } from "./inputs.ts";

const name = z.string().check(z.minLength(1), z.maxLength(80));
const count = z.int().check(z.minimum(0));

/**
 * `waiting`: not begun. `unchanged`: there was nothing to do. `applying`, `returning`: requested, no response yet.
 * `failed`: the processes run as before. `half`: needs a rollback. `returned`: the processes run as before the rollout.
 */
const rolloutNodeStates = [
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
  /** The plan that the user saw. */
  plan: z.nullable(z.string()),
  state: z.enum(rolloutNodeStates),
  /** Each action of a rollout has a different number. */
  step: z.optional(count),
  release: z.optional(z.string()),
  /** Why the node failed, is half done, or has not responded. */
  code: z.optional(z.string()),
  reason: z.optional(z.string()),
});

/** With `revision` or `from`, each node deploys. */
const choices = z.extend(inputs["rollout.apply"], z.pick(inputs["deploy.run"], { revision: true, from: true }).shape);

export type RolloutChoices = z.infer<typeof choices>;

export const fleetRolloutBody = z.strictObject({
  id: name,
  environment: z.string(),
  /** Has written this record: carries the rollout out, or has ended it. The NATS server vouches for the name. */
  owner: name,
  /** The owner before, as this owner has read it. */
  takenFrom: z.optional(name),
  /** The process with the lock; null if it has stopped. */
  holder: z.nullable(name),
  message: z.optional(z.string()),
  /** On the machine that began the rollout. */
  startedAt: z.iso.datetime(),
  direction: z.enum(["apply", "rollback"]),
  /** Null while the lock is held. */
  outcome: z.nullable(z.enum(["applied", "returned", "unlocked"])),
  maxParallel: z.int().check(z.minimum(1)),
  choices,
  steps: count,
  /** Empty if another version's record was unlocked. */
  nodes: z.array(rolledNode).check(z.maxLength(10_000)),
});

export type FleetRollout = BodyOf<typeof fleetRolloutBody>;
export type RolledNode = FleetRollout["nodes"][number];
