import * as z from "zod/mini";
import { proposalKinds } from "./names.ts";
import { rolloutInputs } from "./rollout-inputs.ts";

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
