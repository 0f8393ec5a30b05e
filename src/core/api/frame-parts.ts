import * as z from "zod/mini";

export const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));
export const requestId = z.optional(
  text(64).check(z.describe("Chosen by the client; the answer to this frame carries it back.")),
);
export const token = z.optional(
  text(4096).check(z.describe("The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN, if the upgrade did not carry it.")),
);
export const node = z.optional(
  text(64).check(z.describe("Another machine of the fleet, by its name in svcm.yaml; without one, this machine.")),
);
