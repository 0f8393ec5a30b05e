import type { CapabilityMatrix } from "../../api/facts.ts";
import { migrateTarget } from "../../deployments/migrate.ts";
import type { Candidate } from "../../deployments/candidate.ts";
import { lookup, targetGroup, type Vocabulary } from "../../deployments/vocabulary.ts";
import { isRecord } from "../../words/record.ts";
import type { ImpliedApps } from "./rule.ts";

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
