import * as z from "zod/mini";
import { proposalKinds } from "./names.ts";
import { roles, tokenNames } from "./rights.ts";

export const processName = z.string().check(z.minLength(1), z.maxLength(200));

const planChoices = {
  environment: z.optional(z.string()),
  service: z.optional(z.string()),
  apps: z.optional(z.array(processName)),
  prune: z.optional(z.boolean()),
  preflight: z.optional(z.boolean()),
  restart: z.optional(z.union([z.literal(true), z.array(processName)])),
};
const rollback = { release: z.optional(z.string()), apps: z.optional(z.array(processName)) };

export const timeoutMs = z.optional(z.int().check(z.minimum(1000), z.maximum(3_600_000)));

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
   * permits that running apps move from the environment of the last apply to another one, `switchCheckout` that they move
   * from another folder. `timeoutMs` limits the wait for each process, `lockTimeoutMs` the wait for another apply.
   */
  "rollout.apply": z.strictObject({
    ...planChoices,
    revert: z.optional(z.boolean()),
    save: z.optional(z.boolean()),
    plan: z.optional(z.string()),
    allowDirty: z.optional(z.boolean()),
    switchEnvironment: z.optional(z.boolean()),
    switchCheckout: z.optional(z.boolean()),
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
    switchCheckout: z.optional(z.boolean()),
    message: z.optional(z.string().check(z.maxLength(200))),
    minHealthyMs: timeoutMs,
    timeoutMs,
  }),
  "release.list": z.strictObject({}),
  "release.show": z.strictObject({ release: z.string() }),
} as const;

const id = z.string().check(z.regex(/^[A-Za-z2-7]{8}$/));
const planId = z.string().check(z.maxLength(40));
const byId = z.strictObject({ id });

export const proposalInputs = {
  /**
   * `apps`, `prune`, `preflight` and `restart` are those of a plan, for the kind `apply`; `values` are those of the kind
   * `env.write`, and `revision` that of the kind `deploy`. `reason` is the text of the program.
   */
  "proposal.create": z.extend(z.omit(rolloutInputs["rollout.plan"], { from: true }), {
    kind: z.enum(proposalKinds),
    values: z.optional(z.record(z.string(), z.string())),
    revision: rolloutInputs["deploy.plan"].shape.revision,
    reason: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  }),
  "proposal.list": z.strictObject({}),
  /** `planId` is the plan that the user read; any other one is refused. For a deploy, `deployPlan` is that of its commit. */
  "proposal.approve": z.strictObject({ id, planId, deployPlan: z.optional(planId) }),
  "proposal.deny": byId,
  "proposal.run": byId,
} as const;

const tokenName = z.string().check(z.regex(tokenNames));
const limits = z.array(z.string().check(z.minLength(1), z.maxLength(80))).check(z.minLength(1), z.maxLength(50));

export const tokenInputs = {
  /** `expiresInMs` counts from now. Without `environments` or `services`, the token is not limited to any. `propose` lets it
   * propose changes that a user approves. */
  "token.create": z.strictObject({
    name: tokenName,
    role: z.enum(roles),
    environments: z.optional(limits),
    services: z.optional(limits),
    propose: z.optional(z.boolean()),
    expiresInMs: z.optional(z.int().check(z.minimum(60_000), z.maximum(3650 * 86_400_000))),
  }),
  "token.list": z.strictObject({}),
  "token.revoke": z.strictObject({ name: tokenName }),
} as const;
/** Of times in milliseconds since 1970. A query parameter may be an age or a date instead. */
export const TIME_FORMAT = "epoch-milliseconds";
