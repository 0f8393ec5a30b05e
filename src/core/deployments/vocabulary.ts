import type { CapabilityMatrix, RuntimeContract } from "../api/facts.ts";

export interface Vocabulary {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

export type ValueSource = readonly string[] | { readonly key: string } | undefined;

export function acceptedBy({ contract }: Vocabulary, fact: ValueSource): readonly string[] {
  if (fact === undefined) return [];
  if (!("key" in fact)) return fact;
  const spec = contract.keys[fact.key];
  return spec?.kind === "enum" ? spec.values : [];
}

export function defaultOf(vocabulary: Vocabulary, fact: ValueSource): string | undefined {
  const spec = fact && "key" in fact ? vocabulary.contract.keys[fact.key] : undefined;
  return spec?.kind === "enum" ? spec.default : acceptedBy(vocabulary, fact)[0];
}

export function frameworksOf(vocabulary: Vocabulary): string[] {
  const types = Object.values(vocabulary.matrix.interfaceTypes);
  return [...new Set(types.flatMap(({ frameworks }) => acceptedBy(vocabulary, frameworks)))];
}

/** User input may name an inherited member. */
export function lookup<T>(record: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === "string" && Object.hasOwn(record, name) ? record[name] : undefined;
}

export function targetGroup(
  { matrix }: Vocabulary,
  deployTarget: unknown,
): CapabilityMatrix["deployTargetGroups"][string] | undefined {
  const target = lookup(matrix.deployTargets, deployTarget);
  return target && matrix.deployTargetGroups[target.group];
}

type Group = CapabilityMatrix["deployTargetGroups"][string];

export function targetGroups({ matrix }: Vocabulary): (Group & { readonly targets: readonly string[] })[] {
  return Object.entries(matrix.deployTargetGroups)
    .map(([name, group]) => {
      const targets = Object.keys(matrix.deployTargets).filter(
        (target) => matrix.deployTargets[target]?.group === name,
      );
      return { ...group, targets };
    })
    .filter(({ targets }) => targets.length > 0);
}

export function portNames({ serviceKinds }: CapabilityMatrix): string[] {
  return [...new Set(Object.values(serviceKinds).flatMap(({ ports }) => ports))];
}
