import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";

/** What the validators read: the two facts, references between them resolved. Nothing here is a copy. */
export interface Vocabulary {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

/** A vocabulary of the matrix: its values, or the runtime key that has them. A repository may declare none. */
export type Fact = readonly string[] | { readonly key: string } | undefined;

/** The accepted values of a fact, those of a runtime key if it is given by reference; none if there is no fact. */
export function valuesOf({ contract }: Vocabulary, fact: Fact): readonly string[] {
  if (fact === undefined) return [];
  if (!("key" in fact)) return fact;
  const spec = contract.keys[fact.key];
  return spec?.kind === "enum" ? spec.values : [];
}

/** The default of the runtime key that has the values, else the first value. */
export function defaultOf(vocabulary: Vocabulary, fact: Fact): string | undefined {
  const spec = fact && "key" in fact ? vocabulary.contract.keys[fact.key] : undefined;
  return spec?.kind === "enum" ? spec.default : valuesOf(vocabulary, fact)[0];
}

/** Every framework that serves some type of interface. */
export function frameworksOf(vocabulary: Vocabulary): string[] {
  const types = Object.values(vocabulary.matrix.interfaceTypes);
  return [...new Set(types.flatMap(({ frameworks }) => valuesOf(vocabulary, frameworks)))];
}

/** An entry of a record by a name from outside; never something inherited. */
export function entryOf<T>(record: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === "string" && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Names of a group's or target's accepted service types, or `undefined` for a target that the matrix does not know. */
export function groupOf(
  { matrix }: Vocabulary,
  deployTarget: unknown,
): CapabilityMatrix["deployTargetGroups"][string] | undefined {
  const target = entryOf(matrix.deployTargets, deployTarget);
  return target && matrix.deployTargetGroups[target.group];
}

type Group = CapabilityMatrix["deployTargetGroups"][string];

/** The groups with the deploy targets of each; one without targets is left out. */
export function groupsOf({ matrix }: Vocabulary): (Group & { readonly targets: readonly string[] })[] {
  return Object.entries(matrix.deployTargetGroups)
    .map(([name, group]) => {
      const targets = Object.keys(matrix.deployTargets).filter(
        (target) => matrix.deployTargets[target]?.group === name,
      );
      return { ...group, targets };
    })
    .filter(({ targets }) => targets.length > 0);
}

/** Every listener that some service kind binds. */
export function portNames({ serviceKinds }: CapabilityMatrix): string[] {
  return [...new Set(Object.values(serviceKinds).flatMap(({ ports }) => ports))];
}
