import type { IdentityResponse } from "../../api/identity.ts";
import { isGranted } from "../caller.ts";
import { rights } from "../../api/rights.ts";
import { defineOperation } from "../operation.ts";

/** Returns the caller's identity. */
export const identityShow = defineOperation({
  id: "identity.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  run(_ports, _input, { actor = "anonymous", role = null, grants, limits }): Promise<IdentityResponse> {
    const granted = rights.filter((right) => isGranted(grants, right));
    return Promise.resolve({ actor, role, rights: granted, ...limits });
  },
});
