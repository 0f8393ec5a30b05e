import type { Issue } from "../api/issue.ts";
import { checkEcosystem } from "../pm2/rules/check.ts";
import { impliedApps } from "../pm2/rules/implied.ts";
import { checkedApps, type ImpliedApps } from "../pm2/rules/rule.ts";
import { scrubFor } from "../pm2/view.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports/index.ts";
import type { Vocabulary } from "../deployments/vocabulary.ts";
import { knownSecrets, readEcosystem } from "../pm2/ecosystem-file.ts";
import { DEPLOYMENTS_FILE, documentPath, vocabularyOf } from "../deployments/file.ts";
import { decodeUtf8 } from "../words/utf8.ts";

export interface EcosystemCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly issues: readonly Issue[];
}

/** Never shows values. */
export const ecosystemCheck = defineOperation({
  id: "ecosystem.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, asked): Promise<EcosystemCheckResponse> {
    const vocabulary = await vocabularyOf(ports);
    const { contract } = vocabulary;
    const { listed, ...file } = await readEcosystem(ports, vocabulary, asked);
    const [secrets, implied] = await Promise.all([
      knownSecrets(ports, contract),
      readImplied(ports, file.name, vocabulary),
    ]);
    const apps = checkedApps(file, ports.host.cpuCores());
    const issues = checkEcosystem(
      { file, listed, apps, contract, implied },
      scrubFor(file.loaded, { contract, secrets }),
    );
    const { fileName, path, loaded } = file;
    return { environment: file.environment, fileName, path, exists: loaded !== undefined, issues };
  },
});

/** `svcm validate` reports the errors of the document. */
async function readImplied(ports: Ports, profile: string, vocabulary: Vocabulary): Promise<ImpliedApps[]> {
  const path = documentPath(ports, DEPLOYMENTS_FILE);
  const text = await ports.files.read(path).then(decodeUtf8, () => undefined);
  if (text === undefined) return [];
  const { readSource } = await import("../deployments/read.ts");
  return impliedApps((await readSource(text, path)).value, profile, vocabulary);
}
