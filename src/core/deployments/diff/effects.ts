import type { Candidate } from "../candidate.ts";
import { lookup, targetGroup, type Vocabulary } from "../vocabulary.ts";
import type { Effect, EffectAction } from "./change.ts";

export type Workload =
  | { readonly kind: "process"; readonly ecosystem?: string; readonly appSuffix: string }
  | { readonly kind: "provider"; readonly provider: string }
  | { readonly kind: "unknown"; readonly field: string; readonly value: unknown };

export function targetWorkloads(target: Candidate, vocabulary: Vocabulary): Workload[] {
  const { matrix } = vocabulary;
  const { deployTarget, serviceType, pm2Profile } = target;
  const group = targetGroup(vocabulary, deployTarget);
  if (!group) return [{ kind: "unknown", field: "deployTarget", value: deployTarget }];
  if (!group.pm2Managed) {
    return [{ kind: "provider", provider: lookup(matrix.deployTargets, deployTarget)?.label ?? "" }];
  }
  const kind = lookup(matrix.serviceKinds, lookup(matrix.serviceTypes, serviceType)?.serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceType", value: serviceType }];
  if (typeof pm2Profile !== "string" || !matrix.pm2Profiles.includes(pm2Profile)) {
    return [{ kind: "unknown", field: "pm2Profile", value: pm2Profile }];
  }
  const ecosystem = `ecosystem.${pm2Profile}.config.cjs`;
  return kind.appSuffixes.map((appSuffix) => ({ kind: "process", ecosystem, appSuffix }));
}

/** The cloud provider workload a run mode that is also a group of deploy targets without PM2. */
export function configurationWorkloads(configuration: Candidate, { matrix }: Vocabulary, port?: string): Workload[] {
  const { serviceKind, runMode, cloudProvider } = configuration;
  if (lookup(matrix.deployTargetGroups, runMode)?.pm2Managed === false) {
    const provider = lookup(matrix.cloudProviders, cloudProvider)?.label;
    return provider === undefined
      ? [{ kind: "unknown", field: "cloudProvider", value: cloudProvider }]
      : [{ kind: "provider", provider }];
  }
  const kind = lookup(matrix.serviceKinds, serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceKind", value: serviceKind }];
  if (port === undefined) return kind.appSuffixes.map((appSuffix) => ({ kind: "process", appSuffix }));
  const suffixes = kind.ports.some((name) => name === port) ? portSuffixes(port, matrix) : [];
  return suffixes.map((appSuffix) => ({ kind: "process", appSuffix }));
}

export function interfaceWorkloads({ type }: Candidate, { matrix }: Vocabulary): Workload[] {
  const port = lookup(matrix.interfaceTypes, type)?.port;
  if (port === undefined) return [{ kind: "unknown", field: "type", value: type }];
  return portSuffixes(port, matrix).map((appSuffix) => ({ kind: "process", appSuffix }));
}

function portSuffixes(port: string, { serviceKinds }: Vocabulary["matrix"]): string[] {
  const binds = ({ ports }: { ports: readonly string[] }): boolean => ports.includes(port);
  const kinds = Object.values(serviceKinds);
  const elsewhere = new Set(kinds.filter((kind) => !binds(kind)).flatMap(({ appSuffixes }) => appSuffixes));
  const [first, ...others] = kinds.filter(binds);
  return (first?.appSuffixes ?? []).filter(
    (suffix) => !elsewhere.has(suffix) && others.every(({ appSuffixes }) => appSuffixes.includes(suffix)),
  );
}

export function compareWorkloads(before: readonly Workload[], after: readonly Workload[]): Effect[] {
  const [old, current] = [indexWorkloads(before), indexWorkloads(after)];
  const grouped = new Map<string, Effect>();
  for (const [key, workload] of new Map([...old, ...current])) {
    const action = !old.has(key) ? "start" : current.has(key) ? "touch" : "stop";
    const group = JSON.stringify([action, workload.kind, workload.kind === "process" ? workload.ecosystem : key]);
    grouped.set(group, mergeEffect(grouped.get(group), workload, action));
  }
  return [...grouped.values()];
}

function indexWorkloads(list: readonly Workload[]): Map<string, Workload> {
  return new Map(list.map((workload) => [JSON.stringify(workload), workload]));
}

function mergeEffect(existing: Effect | undefined, workload: Workload, action: EffectAction): Effect {
  if (workload.kind === "unknown") return workload;
  if (workload.kind === "provider") return { ...workload, action };
  const { appSuffix, ...process } = workload;
  const before = existing?.kind === "process" ? existing.appSuffixes : [];
  return { ...process, action, appSuffixes: [...before, appSuffix] };
}
