import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { editKeys } from "../edit-keys.ts";
import { tierChanges } from "../../project/keys.ts";

export const keysSetTier = defineOperation({
  id: "keys.set-tier",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, tier, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.set-tier",
      dryRun,
      keys,
      decide: (project) => tierChanges(project, keys, tier),
    }),
});
