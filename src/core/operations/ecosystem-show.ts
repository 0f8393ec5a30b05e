import type { EcosystemResponse } from "../api/bodies.ts";
import { ecosystemResponse } from "../pm2/view.ts";
import { SvcmError } from "../errors.ts";
import type { CapabilityMatrix } from "../facts/schema.ts";
import { defineOperation } from "../operation.ts";
import { didYouMean } from "../words/suggest.ts";
import { readSecrets, readEcosystem } from "../pm2/ecosystem-file.ts";

/** @see the specification, "PM2 ecosystem response" */
export const ecosystemShow = defineOperation({
  id: "ecosystem.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { serviceKind, ...request }): Promise<EcosystemResponse> {
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
