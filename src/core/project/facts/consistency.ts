import type { Code } from "../../api/issue.ts";
import type { Path } from "../../yaml/source.ts";
import { withAccepted, type Finding } from "../../findings/rule.ts";
import { isSecretName } from "../../secrets/redact.ts";
import type { CapabilityMatrix, DeclaredContract } from "../../api/facts.ts";

type KeySpec = DeclaredContract["keys"][string];

/** `FACT_REFERENCE` without a code. */
export interface FactFinding extends Finding {
  readonly code?: Code;
  readonly path: Path;
}

export function contractIssues(contract: DeclaredContract): FactFinding[] {
  return [
    ...reference(["defaultEnvironment"], contract.defaultEnvironment, Object.keys(contract.environments)),
    ...duplicateSpellings(contract.environments),
    ...keyIssues(contract.keys),
    ...Object.entries(contract.profiles).flatMap(([name, { assignments }]) =>
      Object.entries(assignments).flatMap(([key, value]) => {
        const path = ["profiles", name, "assignments", key];
        const spec = contract.keys[key];
        if (!spec) return reference(path, key, Object.keys(contract.keys));
        return spec.kind === "enum" ? reference(path, value, spec.values) : [];
      }),
    ),
  ];
}

interface KindsByKey {
  readonly keys: Readonly<Record<string, { readonly kind: string }>>;
}

export function matrixIssues(matrix: CapabilityMatrix, contract: KindsByKey, packaged: KindsByKey): FactFinding[] {
  const [protocols, providers] = [Object.keys(matrix.protocols), Object.keys(matrix.cloudProviders)];
  const kinds = Object.keys(matrix.serviceKinds);
  const [types, groups] = [Object.keys(matrix.serviceTypes), Object.keys(matrix.deployTargetGroups)];
  return [
    ...flatMapEntries(matrix.runModes, (name, mode) =>
      references(["runModes", name, "cloudProviders"], mode.cloudProviders, providers),
    ),
    ...flatMapEntries(matrix.serviceTypes, (name, { protocols: exposed, serviceKind }) => [
      ...references(["serviceTypes", name, "protocols"], exposed, protocols),
      ...(serviceKind === undefined ? [] : reference(["serviceTypes", name, "serviceKind"], serviceKind, kinds)),
    ]),
    ...flatMapEntries(matrix.deployTargetGroups, (name, group) =>
      references(["deployTargetGroups", name, "serviceTypes"], group.serviceTypes, types),
    ),
    ...flatMapEntries(matrix.deployTargets, (name, target) =>
      reference(["deployTargets", name, "group"], target.group, groups),
    ),
    ...flatMapEntries(matrix.drivers, (name, driver) =>
      keyReference(["drivers", name, "key"], driver, contract, packaged),
    ),
    ...flatMapEntries(matrix.interfaceTypes, (name, { frameworks }) =>
      keyReference(["interfaceTypes", name, "frameworks", "key"], frameworks, contract, packaged),
    ),
    ...flatMapEntries(matrix.migration.deployTargetAliases, (alias, target) =>
      reference(["migration", "deployTargetAliases", alias], target, Object.keys(matrix.deployTargets)),
    ),
    ...flatMapEntries(matrix.pm2ProfileAliases ?? {}, (alias, profile) =>
      reference(["pm2ProfileAliases", alias], profile, matrix.pm2Profiles),
    ),
    ...reference(["migration", "pm2Profile"], matrix.migration.pm2Profile, matrix.pm2Profiles),
  ];
}

/** According to the specification. */
const NEVER_EXPOSED = new Set(["SVC_JWT_TOKEN_SECRET_KEY", "SVC_REDIS_PASSWORD", "SVC_RABBITMQ_URL"]);

function exposureFindings(key: string, { tier = "never-exposed" }: KeySpec): FactFinding[] {
  if (tier === "never-exposed" || !(NEVER_EXPOSED.has(key) || isSecretName(key))) return [];
  const what = `keys.${key}.tier: ${tier} would show a secret; a key of this name has kind: secret`;
  return [{ code: "FACT_SECRET_VISIBLE", path: ["keys", key, "tier"], ...withAccepted(what, ["never-exposed"]) }];
}

export function keyIssues(keys: DeclaredContract["keys"]): FactFinding[] {
  return Object.entries(keys).flatMap(([key, spec]) => [
    ...exposureFindings(key, spec),
    ...rangeFindings(key, spec),
    ...enumFindings(key, spec),
  ]);
}

function rangeFindings(key: string, spec: KeySpec): FactFinding[] {
  if (spec.kind !== "integer" || spec.maximum === undefined || spec.maximum >= (spec.minimum ?? 0)) return [];
  const message = `keys.${key}.maximum: ${spec.maximum} is below the minimum ${spec.minimum ?? 0}`;
  return [{ path: ["keys", key, "maximum"], message }];
}

function enumFindings(key: string, spec: KeySpec): FactFinding[] {
  if (spec.kind !== "enum") return [];
  const value = spec.default;
  const isAccepted = value === undefined || spec.values.includes(value) || (spec.allowEmpty === true && value === "");
  return [
    ...(isAccepted ? [] : reference(["keys", key, "default"], value, spec.values)),
    ...Object.entries(spec.aliases ?? {}).flatMap(([alias, target]) =>
      reference(["keys", key, "aliases", alias], target, spec.values),
    ),
    ...references(["keys", key, "browserOnly"], spec.browserOnly ?? [], spec.values),
    ...(spec.otherwise === undefined ? [] : reference(["keys", key, "otherwise"], spec.otherwise, spec.values)),
  ];
}

export function duplicateSpellings(
  environments: Readonly<Record<string, { readonly aliases?: readonly string[] | undefined }>>,
): FactFinding[] {
  const spellings = Object.entries(environments).flatMap(([name, { aliases = [] }]) => [
    { spelling: name, path: ["environments", name] },
    ...aliases.map((alias, index) => ({ spelling: alias, path: ["environments", name, "aliases", index] })),
  ]);
  const first = new Map(spellings.toReversed().map(({ spelling, path }) => [spelling, path]));
  return spellings
    .filter(({ spelling, path }) => first.get(spelling) !== path)
    .map(({ spelling, path }) => ({ path, message: `"${spelling}" already names an environment` }));
}

function flatMapEntries<T>(
  record: Record<string, T>,
  findings: (name: string, value: T) => FactFinding[],
): FactFinding[] {
  return Object.entries(record).flatMap(([name, value]) => findings(name, value));
}

/** If the contract lacks a packaged key, the vocabulary of that key is not offered. */
function keyReference(
  path: Path,
  fact: readonly string[] | { readonly key: string } | undefined,
  { keys }: KindsByKey,
  packaged: KindsByKey,
): FactFinding[] {
  if (fact === undefined || !("key" in fact)) return [];
  if (!Object.hasOwn(keys, fact.key) && Object.hasOwn(packaged.keys, fact.key)) return [];
  return reference(
    path,
    fact.key,
    Object.keys(keys).filter((key) => keys[key]?.kind === "enum"),
  );
}

function references(path: Path, values: readonly string[], accepted: readonly string[]): FactFinding[] {
  return values.flatMap((value, index) => reference([...path, index], value, accepted));
}

export function reference(path: Path, value: string, accepted: readonly string[]): FactFinding[] {
  return accepted.includes(value) ? [] : [{ path, ...withAccepted(`"${value}" is not known`, accepted, value) }];
}
