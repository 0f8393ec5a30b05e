import type { HasHost } from "../../files/port-host.ts";
import type { Repository } from "../ports.ts";
import type { Issue } from "../../api/issue.ts";
import { vocabularyOf } from "../../deployments/file.ts";
import { defineOperation } from "../../access/operation.ts";
import { readChecked } from "../checked-ecosystem.ts";
import { machineCodes } from "../rules/index.ts";

export interface EcosystemCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly issues: readonly Issue[];
}

/** Never returns values. */
export const ecosystemCheck = defineOperation({
  id: "ecosystem.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: Repository & HasHost, { offline, ...request }): Promise<EcosystemCheckResponse> {
    const { file, issues: found } = await readChecked(ports, await vocabularyOf(ports), request);
    const { environment, fileName, path, loaded } = file;
    const issues = found.filter(({ code }) => offline !== true || !machineCodes.has(code));
    return { environment, fileName, path, exists: loaded !== undefined, issues };
  },
});
