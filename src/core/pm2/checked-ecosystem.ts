import type { HasFiles, HasHost } from "../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasEcosystems, Repository } from "./ports.ts";
import { compareText, type Issue } from "../api/issue.ts";
import {
  DEPLOYMENTS_FILE,
  documentPath,
  type Candidate,
  type Vocabulary,
  lookup,
  targetGroup,
} from "../deployments/file.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import { type EcosystemContent, readSecrets, readEcosystem, withPurpose } from "./ecosystem-file.ts";
import { checkedApps, type CheckedEcosystem, type ImpliedApps } from "./rules/rule.ts";
import type { Scrub } from "./scrub.ts";
import { createEcosystemScrub } from "./view.ts";
import { markVolatile } from "./volatile.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import { rules } from "./rules/index.ts";
import type { CapabilityMatrix } from "../api/facts.ts";
import { migrateTarget } from "../deployments/shape.ts";
import { isRecord } from "../words/record.ts";

/** `file` contains values, so it never leaves the process. */
export interface CheckedFile {
  readonly file: EcosystemContent;
  readonly issues: readonly Issue[];
  readonly scrub: Scrub;
}

export async function readChecked(
  ports: Repository & HasHost,
  vocabulary: Vocabulary,
  request: EnvironmentRequest,
): Promise<CheckedFile> {
  const { contract } = vocabulary;
  const file = await readJudged(ports, request);
  const [secrets, implied] = await Promise.all([
    readSecrets(ports, contract),
    readImplied(ports, file.name, vocabulary),
  ]);
  const cpuCores = ports.host.cpuCores();
  const apps = checkedApps(file, cpuCores);
  const scrub = createEcosystemScrub(file.loaded, { contract, secrets });
  return { file, scrub, issues: checkEcosystem({ file, listed: file.listed, apps, implied, cpuCores }, scrub) };
}

/** With PM2's own opinion, and with a second run for values that differ in each. */
async function readJudged(
  ports: HasEcosystems & HasFacts & HasWorkspace,
  request: EnvironmentRequest,
): Promise<EcosystemContent> {
  const repeated = readEcosystem(withPurpose(ports, "repeat"), request).catch(() => undefined);
  const file = await readEcosystem(withPurpose(ports, "judge"), request);
  const { loaded } = file;
  return loaded === undefined ? file : { ...file, loaded: markVolatile(loaded, (await repeated)?.loaded ?? loaded) };
}

/** `svcm validate` reports errors in the document. */
async function readImplied(
  ports: HasFiles & HasWorkspace,
  profile: string,
  vocabulary: Vocabulary,
): Promise<ImpliedApps[]> {
  const path = documentPath(ports, DEPLOYMENTS_FILE);
  const text = await ports.files.read(path).then(decodeUtf8, () => undefined);
  if (text === undefined) return [];
  const { readSource } = await import("../yaml/read.ts");
  return impliedApps(readSource(text, path).value, profile, vocabulary);
}

function checkEcosystem(ecosystem: CheckedEcosystem, scrub: Scrub): Issue[] {
  return Array.from(findingsOf(rules, ecosystem), (finding) => {
    const issue = toIssue(finding);
    const path = issue.path.map((step) => (typeof step === "string" ? scrub(step) : step));
    return { ...issue, path, message: scrub(issue.message) };
  }).toSorted((a, b) => appIndex(a) - appIndex(b) || compareText(a.code, b.code) || compareText(a.message, b.message));
}

function appIndex({ path: [, index = -1] }: Issue): number {
  return Number(index);
}

/**
 * Of the deploy targets with the environment as their PM2 profile; without such targets, of the service configuration.
 * @param profile the canonical name of the environment
 */
export function impliedApps(document: unknown, profile: string, vocabulary: Vocabulary): ImpliedApps[] {
  const { serviceConfiguration, deployments } = isRecord(document) ? document : {};
  const targets = (Array.isArray(deployments) ? deployments : [])
    .filter(isRecord)
    .map((target) => migrateTarget(target, vocabulary))
    .filter(({ deployTarget, pm2Profile }) => {
      return pm2Profile === profile && targetGroup(vocabulary, deployTarget)?.pm2Managed === true;
    });
  if (targets.length > 0) return targets.flatMap((target) => appsOfTarget(target, vocabulary.matrix));
  const serviceKind = isRecord(serviceConfiguration) ? serviceConfiguration["serviceKind"] : undefined;
  return appsOfKind(serviceKind, `service kind ${String(serviceKind)}`, vocabulary.matrix);
}

function appsOfTarget({ name, serviceType }: Candidate, matrix: CapabilityMatrix): ImpliedApps[] {
  const { serviceKind } = lookup(matrix.serviceTypes, serviceType) ?? {};
  return appsOfKind(serviceKind, `deploy target ${JSON.stringify(name)} (${String(serviceType)})`, matrix);
}

function appsOfKind(serviceKind: unknown, by: string, { serviceKinds }: CapabilityMatrix): ImpliedApps[] {
  const kind = lookup(serviceKinds, serviceKind);
  return kind === undefined ? [] : [{ by, suffixes: kind.appSuffixes }];
}
