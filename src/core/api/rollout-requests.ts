import * as z from "zod";
import { pick, required } from "zod/mini";
import type { BodyOf } from "./body.ts";
import { inputs } from "./inputs.ts";
import { keptCode, planBody, planStep } from "./rollout.ts";

/** Both name the plan that the caller saw. */
export const applyRequest = required(
  pick(inputs["rollout.apply"], {
    environment: true,
    service: true,
    prune: true,
    preflight: true,
    restart: true,
    plan: true,
    allowDirty: true,
    switchEnvironment: true,
    switchCheckout: true,
    apps: true,
    message: true,
  }),
  { plan: true },
);

export const rollbackRequest = required(pick(inputs["rollout.rollback"], { release: true, plan: true }), {
  plan: true,
  release: true,
});

export const deployPlanRequest = pick(inputs["deploy.plan"], {
  environment: true,
  service: true,
  revision: true,
  prune: true,
});

/** The commit and the plan that the caller saw. */
export const deployRequest = required(
  pick(inputs["deploy.run"], {
    environment: true,
    service: true,
    revision: true,
    prune: true,
    plan: true,
    switchEnvironment: true,
    switchCheckout: true,
    message: true,
  }),
  { plan: true, revision: true },
);

export const begunBody = z
  .strictObject({ release: z.string().nullable().describe("Id of the release; null if there was nothing to do.") })
  .describe(
    "An apply, a deploy or a rollback has begun. Its steps follow as `apply` frames, and its release shows them.",
  );

export type Begun = BodyOf<typeof begunBody>;

export const processRunBody = z
  .strictObject({
    name: z.string(),
    pmId: z.int(),
    outcome: z
      .enum(["succeeded", "failed", "unknown", "running"])
      .describe("`unknown`: PM2 records code 0 in cluster mode, whatever happened, and no error was logged."),
    exitCode: z.int().nullable().describe("Null while it runs, and if a signal or a command ended it."),
    details: z.string(),
    ms: z.int().min(0).describe("How long svcm waited for the end."),
  })
  .describe("The result of one run of a job or task.");

export type ProcessRunResult = BodyOf<typeof processRunBody>;

const count = z.int().min(0);

export const rollbackPlanBody = z
  .strictObject({
    id: z.string().describe("Identifies the steps and everything that they were computed from."),
    release: z.string().describe("The release that would be undone."),
    startedAt: z.iso.datetime().describe("When that release began."),
    commit: z.string().nullable().describe("The commit that it applied; null without a repository of Git."),
    message: z.string().optional(),
    undoes: z.string().optional().describe("The release that it undid, if it is a rollback itself."),
    environment: z.string(),
    changed: z.boolean().describe("False if every app runs as before the release, and `current` leads there."),
    keptCode: keptCode.optional(),
    current: z
      .strictObject({
        path: z.string(),
        from: z.string().nullable().describe("Null if it does not exist."),
        to: z.string().nullable().describe("Null if it would be removed."),
      })
      .optional()
      .describe("The link of the deploy root that would move; absent if it would not."),
    stays: z
      .strictObject({
        path: z.string(),
        at: z.string().nullable().describe("Null if it does not exist."),
        apps: z.array(z.string()).describe("Those that run on as they are."),
      })
      .optional()
      .describe("The link stays, because apps of the release, or of a newer one where the link leads, do not return."),
    apart: z
      .array(z.string())
      .optional()
      .describe("Apps that would run in another release folder than `current` then leads to; absent without one."),
    code: planBody.shape.git
      .unwrap()
      .optional()
      .describe("Of the former release folder, if files there are not as they were prepared."),
    steps: z.array(
      z.strictObject({
        do: z.literal("return"),
        app: z.string(),
        pmIds: z.array(z.int()).describe("PM2's numbers of the processes that would change."),
        instances: z.strictObject({ from: count, to: count }),
        disruption: planStep.shape.disruption,
        pinned: z.boolean().describe("Its env file changed, so the app would read a copy of the former one."),
        mayDiffer: z
          .literal(true)
          .optional()
          .describe(
            "Nothing shows what its processes had read from their env files before the release, so the last copy may differ from that.",
          ),
        changed: z.boolean(),
      }),
    ),
  })
  .describe(
    "The effect that a rollback would have on each app of a release, and on the link of its deploy. It then saves PM2's list. Nothing is changed.",
  );

export type RollbackPlan = BodyOf<typeof rollbackPlanBody>;
