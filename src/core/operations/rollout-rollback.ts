import type { Release } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { rollBack } from "../rollout/apply/rollback.ts";

/** Undoes a release. @throws {SvcmError} as `rolledBack` */
export const rolloutRollback = defineOperation({
  id: "rollout.rollback",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: (ports, input, caller): Promise<Release> => rollBack(ports, input, caller),
});
