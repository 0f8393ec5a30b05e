import { defineOperation } from "../operation.ts";
import { editKeys } from "../project/edit-keys.ts";
import { tierChanges } from "../project/keys.ts";

export const keysSetTier = defineOperation({
  id: "keys.set-tier",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports, { keys, tier, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.set-tier",
      dryRun,
      keys,
      decide: (project) => tierChanges(project, keys, tier),
    }),
});
