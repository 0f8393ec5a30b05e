import type { HasFacts } from "../../project/port-repository.ts";
import { defineOperation } from "../../access/operation.ts";
import { listedKeys, type ListedKey } from "../../project/keys.ts";

export interface KeysListResponse {
  readonly keys: readonly ListedKey[];
}

export const keysList = defineOperation({
  id: "keys.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }: HasFacts): Promise<KeysListResponse> {
    return { keys: listedKeys(await facts.runtimeContract(), await facts.project()) };
  },
});
