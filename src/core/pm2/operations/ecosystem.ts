import type { HasHost } from "../../files/ports.ts";
import type { Repository } from "../ports.ts";
import type { Issue } from "../../api/issue.ts";
import { vocabularyOf } from "../../deployments/file.ts";
import { defineOperation } from "../../access/operation.ts";
import { readChecked } from "../checked-ecosystem.ts";
import { machineCodes } from "../rules/index.ts";
import type { EcosystemResponse } from "../../api/bodies.ts";
import { ecosystemResponse } from "../view.ts";
import { SvcmError } from "../../api/errors.ts";
import type { CapabilityMatrix } from "../../api/facts.ts";
import { didYouMean } from "../../words/suggest.ts";
import { readSecrets, readEcosystem } from "../ecosystem-file.ts";

interface EcosystemCheckResponse {
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
  isForMachine: true,
  async run(ports: Repository & HasHost, { offline, ...request }): Promise<EcosystemCheckResponse> {
    const { file, issues: found } = await readChecked(ports, await vocabularyOf(ports), request);
    const { environment, fileName, path, loaded } = file;
    const issues = found.filter(({ code }) => offline !== true || !machineCodes.has(code));
    return { environment, fileName, path, exists: loaded !== undefined, issues };
  },
});

/** @see the specification, "PM2 ecosystem response" */
export const ecosystemShow = defineOperation({
  id: "ecosystem.show",
  access: "read",
  isForMachine: true,
  async run(ports: Repository & HasHost, { serviceKind, ...request }): Promise<EcosystemResponse> {
    const suffixes =
      serviceKind === undefined ? undefined : findSuffixes(await ports.facts.capabilityMatrix(), serviceKind);
    const { contract, ...file } = await readEcosystem(ports, request);
    const secrets = await readSecrets(ports, contract);
    return ecosystemResponse(file, { contract, secrets, suffixes, cpuCores: ports.host.cpuCores() });
  },
});

function findSuffixes({ serviceKinds }: CapabilityMatrix, serviceKind: string): readonly string[] {
  const kind = Object.hasOwn(serviceKinds, serviceKind) ? serviceKinds[serviceKind] : undefined;
  if (kind) return kind.appSuffixes;
  const accepted = Object.keys(serviceKinds);
  throw new SvcmError("INVALID_REQUEST", {
    details: `Unsupported service kind ${JSON.stringify(serviceKind.slice(0, 80))}. Accepted: ${accepted.join(", ")}.`,
    hint: didYouMean(serviceKind, accepted),
  });
}
