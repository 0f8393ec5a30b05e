import { ownMember } from "../../words/record.ts";
import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvReadResponse } from "../../api/bodies.ts";
import { sortIssues, type Issue } from "../../api/issue.ts";
import { describeUnlisted, specOf, tierOf, visibleKeys } from "../runtime-keys.ts";
import { refusal } from "../../api/errors.ts";
import { isProjectContract } from "../../project/project.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { defineOperation } from "../../access/operation.ts";
import { suggest } from "../../words/suggest.ts";
import { effectiveValues, readEnvFile, toReadResponse } from "../env-file.ts";

export interface TaggedResponse<Response = EnvReadResponse> {
  readonly response: Response;
  readonly bytes: Uint8Array;
  /** The response depends only on these and on the bytes. */
  readonly source?: { readonly contract: RuntimeContract; readonly environment: string; readonly path: string };
}

/** @see the specification, "GET /api/runtime/env" */
export const envRead = defineOperation({
  id: "env.read",
  access: "read",
  refusal: "INVALID_REQUEST",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasWorkspace, { keys, ...request }): Promise<TaggedResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, request);
    const fullResponse = (): EnvReadResponse => toReadResponse(contract, file, effectiveValues(file.layers));
    if (keys !== undefined) return { response: selectKeys(contract, fullResponse(), keys), bytes: file.bytes };
    return {
      // Lazy, because a caller may already have a response for the same source.
      get response() {
        return fullResponse();
      },
      bytes: file.bytes,
      source: { contract, environment: file.environment, path: file.path },
    };
  },
});

function selectKeys(contract: RuntimeContract, response: EnvReadResponse, keys: readonly string[]): EnvReadResponse {
  requireVisible(contract, keys);
  return { ...response, values: Object.fromEntries(keys.map((key) => [key, ownMember(response.values, key) ?? ""])) };
}

/** @throws {SvcmError} INVALID_PAYLOAD with every key that may not be shown */
export function requireVisible(contract: RuntimeContract, keys: readonly string[]): void {
  const hidden = keys.filter((key) => tierOf(contract, key) === "never-exposed");
  const issues = sortIssues(hidden.map((key) => hiddenKeyIssue(contract, key)));
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
}

function hiddenKeyIssue(contract: RuntimeContract, key: string): Issue {
  const spec = specOf(contract, key);
  const suggestion = spec ? undefined : suggest(key, visibleKeys(contract));
  return {
    code: "ENV_KEY_NOT_VISIBLE",
    severity: "error",
    path: ["keys", key],
    message: spec
      ? `${key} is never shown. ${isProjectContract(contract) ? "svcm.yaml" : "The runtime contract"} lists it as never-exposed: ${spec.reason ?? "it is treated as a secret"}`
      : describeUnlisted(contract, key, "shown"),
    suggestion,
  };
}
