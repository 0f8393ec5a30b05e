import type { ApplyPorts } from "../apply/ports.ts";
import type { Release } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { rollBack } from "../apply/rollback.ts";

/** Undoes a release. @throws {SvcmError} as `rolledBack` */
export const rolloutRollback = defineOperation({
  id: "rollout.rollback",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: (ports: ApplyPorts, input, caller): Promise<Release> => rollBack(ports, input, caller),
});
