import type { Issue } from "../contract/issue.ts";
import { checkEcosystem } from "../ecosystem/check.ts";
import { checkedApps, type ImpliedApps } from "../ecosystem/rule.ts";
import { scrubFor } from "../ecosystem/view.ts";
import type { CapabilityMatrix } from "../facts/schema.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports.ts";
import { knownSecrets, readEcosystem } from "./ecosystem-file.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface EcosystemCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly issues: readonly Issue[];
}

/** What PM2 would refuse, mistake or ignore in an environment's ecosystem file. Secrets are never shown. */
export const ecosystemCheck = defineOperation({
  id: "ecosystem.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { environment }): Promise<EcosystemCheckResponse> {
    const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
    const { listed, ...file } = await readEcosystem(ports, { contract, matrix }, environment);
    const [secrets, service] = await Promise.all([knownSecrets(ports, contract), impliedBy(ports, matrix)]);
    const apps = checkedApps(file, ports.host.cpuCores());
    const issues = checkEcosystem(
      { file, listed, apps, contract, service },
      scrubFor(file.loaded, { contract, secrets }),
    );
    const { fileName, path, loaded } = file;
    return { environment: file.environment, fileName, path, exists: loaded !== undefined, issues };
  },
});

/** The app names that the repository's service configuration implies. What is wrong with that document, `validate` tells. */
async function impliedBy(ports: Ports, { serviceKinds }: CapabilityMatrix): Promise<ImpliedApps | undefined> {
  const path = `${ports.workspace.root}/deployments.yaml`;
  const text = await ports.files.read(path).then(decodeUtf8, () => undefined);
  if (text === undefined) return undefined;
  const { readYaml } = await import("../yaml/read.ts");
  const { value } = await readYaml(text, path);
  const suite = value as { serviceConfiguration?: { serviceKind?: unknown } } | null | undefined;
  const serviceKind = suite?.serviceConfiguration?.serviceKind;
  if (typeof serviceKind !== "string" || !Object.hasOwn(serviceKinds, serviceKind)) return undefined;
  return { serviceKind, suffixes: serviceKinds[serviceKind]?.appSuffixes ?? [] };
}
