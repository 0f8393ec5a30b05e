/** The bodies of requests for an apply and a rollback over HTTP. */
import * as z from "zod/mini";
import { inputs } from "./inputs.ts";

/** A caller over HTTP has read the plan. */
export const applyRequest = z.required(
  z.pick(inputs["rollout.apply"], { environment: true, service: true, plan: true, allowDirty: true, message: true }),
  { plan: true },
);

export const rollbackRequest = z.required(z.pick(inputs["rollout.rollback"], { release: true }), { release: true });
