/** They name the plan that the caller saw. */
import * as z from "zod/mini";
import { inputs } from "./inputs.ts";

const isGiven = { plan: true } as const;

export const applyRequest = z.required(
  z.pick(inputs["rollout.apply"], {
    environment: true,
    service: true,
    prune: true,
    preflight: true,
    plan: true,
    allowDirty: true,
    message: true,
  }),
  isGiven,
);

export const rollbackRequest = z.required(z.pick(inputs["rollout.rollback"], { release: true, plan: true }), {
  ...isGiven,
  release: true,
});
