import type { Candidate } from "../candidate.ts";
import { entryOf, groupOf, type Vocabulary } from "../vocabulary.ts";
import type { Effect, EffectAction } from "./change.ts";

type Runs =
  | { readonly kind: "process"; readonly ecosystem?: string; readonly appSuffix: string }
  | { readonly kind: "provider"; readonly provider: string }
  | { readonly kind: "unknown"; readonly field: string; readonly value: unknown };

/** The target must be in the current form. */
export function targetRuns(target: Candidate, vocabulary: Vocabulary): Runs[] {
  const { matrix } = vocabulary;
  const { deployTarget, serviceType, pm2Profile } = target;
  const group = groupOf(vocabulary, deployTarget);
  if (!group) return [{ kind: "unknown", field: "deployTarget", value: deployTarget }];
  if (!group.pm2Managed) {
    return [{ kind: "provider", provider: entryOf(matrix.deployTargets, deployTarget)?.label ?? "" }];
  }
  const kind = entryOf(matrix.serviceKinds, entryOf(matrix.serviceTypes, serviceType)?.serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceType", value: serviceType }];
  if (typeof pm2Profile !== "string" || !matrix.pm2Profiles.includes(pm2Profile)) {
    return [{ kind: "unknown", field: "pm2Profile", value: pm2Profile }];
  }
  const ecosystem = `ecosystem.${pm2Profile}.config.cjs`;
  return kind.appSuffixes.map((appSuffix) => ({ kind: "process", ecosystem, appSuffix }));
}

/** The cloud provider runs a run mode that is also a group of deploy targets without PM2. */
export function configurationRuns(configuration: Candidate, { matrix }: Vocabulary, port?: string): Runs[] {
  const { serviceKind, runMode, cloudProvider } = configuration;
  if (entryOf(matrix.deployTargetGroups, runMode)?.pm2Managed === false) {
    const provider = entryOf(matrix.cloudProviders, cloudProvider)?.label;
    return provider === undefined
      ? [{ kind: "unknown", field: "cloudProvider", value: cloudProvider }]
      : [{ kind: "provider", provider }];
  }
  const kind = entryOf(matrix.serviceKinds, serviceKind);
  if (!kind) return [{ kind: "unknown", field: "serviceKind", value: serviceKind }];
  if (port === undefined) return kind.appSuffixes.map((appSuffix) => ({ kind: "process", appSuffix }));
  const ofPort = kind.ports.some((name) => name === port) ? portSuffixes(port, matrix) : [];
  return ofPort.map((appSuffix) => ({ kind: "process", appSuffix }));
}

export function interfaceRuns({ type }: Candidate, { matrix }: Vocabulary): Runs[] {
  const port = entryOf(matrix.interfaceTypes, type)?.port;
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

export function effectsOf(before: readonly Runs[], after: readonly Runs[]): Effect[] {
  const [were, are] = [keyed(before), keyed(after)];
  const grouped = new Map<string, Effect>();
  for (const [key, runs] of new Map([...were, ...are])) {
    const action = !were.has(key) ? "start" : are.has(key) ? "touch" : "stop";
    const place = JSON.stringify([action, runs.kind, runs.kind === "process" ? runs.ecosystem : key]);
    grouped.set(place, joined(grouped.get(place), runs, action));
  }
  return [...grouped.values()];
}

function keyed(list: readonly Runs[]): Map<string, Runs> {
  return new Map(list.map((runs) => [JSON.stringify(runs), runs]));
}

function joined(known: Effect | undefined, runs: Runs, action: EffectAction): Effect {
  if (runs.kind === "unknown") return runs;
  if (runs.kind === "provider") return { ...runs, action };
  const { appSuffix, ...place } = runs;
  const before = known?.kind === "process" ? known.appSuffixes : [];
  return { ...place, action, appSuffixes: [...before, appSuffix] };
}
