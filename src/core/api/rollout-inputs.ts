import * as z from "zod/mini";
import { processName, timeoutMs } from "./input-fields.ts";

const planChoices = {
  environment: z.optional(z.string()),
  service: z.optional(z.string()),
  apps: z.optional(z.array(processName)),
  prune: z.optional(z.boolean()),
  preflight: z.optional(z.boolean()),
  restart: z.optional(z.union([z.literal(true), z.array(processName)])),
};
const rollback = { release: z.optional(z.string()), apps: z.optional(z.array(processName)) };

const deployChoices = {
  environment: z.optional(z.string()),
  service: z.optional(z.string()),
  revision: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
  from: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  prune: z.optional(z.boolean()),
  retry: z.optional(z.boolean()),
  lockTimeoutMs: timeoutMs,
};

export const rolloutInputs = {
  /**
   * `from` is a Git revision to compare with, instead of PM2. `apps` limits the plan. `prune` deletes processes that an
   * apply started and no file declares any more. `preflight` overrides the setting in `rollout`. `restart` also restarts
   * these apps, or those whose code or values are unknown.
   */
  "rollout.plan": z.strictObject({
    ...planChoices,
    from: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
  }),
  /**
   * `plan` is the id of the plan that the caller saw; any other plan is refused. `revert` and `minHealthyMs` override
   * the settings in `rollout`. Without `save`, the next boot starts the previous processes. `switchEnvironment`
   * permits that running apps move from the environment of the last apply to another one. `timeoutMs` limits the wait
   * for each process, `lockTimeoutMs` the wait for another apply.
   */
  "rollout.apply": z.strictObject({
    ...planChoices,
    revert: z.optional(z.boolean()),
    save: z.optional(z.boolean()),
    plan: z.optional(z.string()),
    allowDirty: z.optional(z.boolean()),
    switchEnvironment: z.optional(z.boolean()),
    message: z.optional(z.string().check(z.maxLength(200))),
    minHealthyMs: timeoutMs,
    timeoutMs,
    lockTimeoutMs: timeoutMs,
  }),
  /** Without `release`, undoes the newest release that changed something. `apps` limits it to some of its apps. */
  "rollout.rollback-plan": z.strictObject(rollback),
  /** `plan` is the id of the plan of this rollback that the caller saw; any other plan is refused. */
  "rollout.rollback": z.strictObject({
    ...rollback,
    plan: z.optional(z.string()),
    timeoutMs,
    lockTimeoutMs: timeoutMs,
  }),
  /**
   * Makes the release of a commit and its plan, and applies nothing. `revision` is a branch, a tag or a commit; by default
   * the branch that the checkout follows. `from` is a tarball or a folder in place of a commit.
   * Without `retry`, a commit is refused whose apply failed here, or was rolled back.
   * `adopt` notes what the first deploy takes over, in place of a refusal.
   */
  "deploy.plan": z.strictObject({ ...deployChoices, adopt: z.optional(z.boolean()) }),
  /** `plan` is the id of the plan that the caller saw. The other members are as in `rollout.apply`. */
  "deploy.run": z.strictObject({
    ...deployChoices,
    plan: z.optional(z.string()),
    switchEnvironment: z.optional(z.boolean()),
    message: z.optional(z.string().check(z.maxLength(200))),
    minHealthyMs: timeoutMs,
    timeoutMs,
  }),
  "release.list": z.strictObject({}),
  "release.show": z.strictObject({ release: z.string() }),
} as const;
