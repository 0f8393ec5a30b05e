import * as z from "zod";
import { pick, required } from "zod/mini";
import type { BodyOf } from "./body.ts";
import { inputs } from "./inputs.ts";

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
