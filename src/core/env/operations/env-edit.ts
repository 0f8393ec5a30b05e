import type { HasEffects } from "../port-effects.ts";
import type { Audited } from "../../access/ports.ts";
import { type HasHost, FileError, type HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvWriteResponse } from "../../api/bodies.ts";
import { decodeEnv, envFileFailure, locateEnvFile, readEnvFile, readLowerLayers } from "../env-file.ts";
import { type EnvPlan, planRewrite } from "../plan.ts";
import { noteFile, writeEnv } from "../transaction.ts";
import { withEffect } from "./env-write.ts";
import { withAudit } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";

import { entityTag } from "../../words/http.ts";

export interface EnvSource {
  readonly environment: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly entityTag: string;
}

/**
 * Reads the file that a write of the environment would change, including secrets. No HTTP route uses this operation.
 */
export const envSource = defineOperation({
  id: "env.source",
  access: "write",
  refusal: "INVALID_REQUEST",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasHost & HasWorkspace, request): Promise<EnvSource> {
    const contract = await ports.facts.runtimeContract();
    const { environment, fileName, path, bytes, layers } = await readEnvFile(ports, contract, request);
    const layer = layers.find((candidate) => candidate.path === path);
    if (layer === undefined) throw envFileFailure(new FileError("ENOENT", path, `${path} does not exist.`), path);
    return { environment, fileName, bytes: layer.bytes, entityTag: await entityTag(ports, bytes) };
  },
});

/**
 * Replaces a file by its edited text if only editable keys, comments and layout have changed and there is no new error.
 * Otherwise writes nothing.
 */
export const envRewrite = defineOperation({
  id: "env.rewrite",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  isForMachine: true,
  async run(
    ports: Audited & HasEffects & HasFacts & HasFiles,
    { content, ifMatch, ...request },
    caller,
  ): Promise<EnvWriteResponse> {
    const written = await withAudit(ports, caller, { action: "env.write" }, async (attempt) => {
      const contract = await ports.facts.runtimeContract();
      const file = await locateEnvFile(ports, contract, request);
      noteFile(attempt, file);
      const below = await readLowerLayers(ports, file);
      const { fileName, path } = file;
      const after = decodeEnv(content, path);
      const makePlan = (before: string): EnvPlan => planRewrite(contract, { fileName, before, after, below });
      const { response } = await writeEnv(ports, contract, { file, below }, makePlan, attempt, ifMatch);
      return { file, response };
    });
    return await withEffect(ports, written.file, written.response);
  },
});
