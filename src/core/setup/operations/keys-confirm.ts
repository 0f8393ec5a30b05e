import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { editKeys } from "../edit-keys.ts";
import { confirmChanges } from "../../project/keys.ts";

/** Turns guesses of `svcm init` into declared keys by removing `guess` from their entries in `svcm.yaml`. */
export const keysConfirm = defineOperation({
  id: "keys.confirm",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.confirm",
      dryRun,
      keys: keys ?? [],
      decide: (project) => confirmChanges(project, keys ?? Object.keys(project.guesses)),
    }),
});
