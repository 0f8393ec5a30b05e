import { ownMember } from "../words/record.ts";
import { keySource, type KeySource } from "./facts/own-contract.ts";
import type { KeySpec, RuntimeContract, Tier } from "../api/facts.ts";
import type { Change } from "../yaml/splice/change.ts";
import type { Project } from "./project.ts";

/** Only `svcm.yaml` has guesses. */
export interface DeclaredKeys {
  readonly keys: RuntimeContract["keys"];
  readonly guesses: Project["guesses"];
}

export interface ListedKey {
  readonly key: string;
  readonly kind: KeySpec["kind"];
  readonly tier: Tier;
  readonly source: KeySource | "guess";
  readonly guess?: string;
}

export function listedKeys(contract: RuntimeContract, project: Project | undefined): ListedKey[] {
  const source = keySource(contract, project);
  return Object.entries(contract.keys).map(([key, { kind, tier }]) => {
    const guess = guessOf(project, key);
    return guess === undefined ? { key, kind, tier, source } : { key, kind, tier, source: "guess", guess };
  });
}

export function describeGuesses(count: number): string {
  return `${count === 1 ? "1 key is a guess" : `${count} keys are guesses`} of svcm init`;
}

export function confirmChanges(project: DeclaredKeys, keys: readonly string[]): Change[] {
  return [...new Set(keys)].flatMap((key) =>
    guessOf(project, key) === undefined ? [] : [{ kind: "delete", path: ["keys", key, "guess"] }],
  );
}

export function tierChanges(project: DeclaredKeys, keys: readonly string[], tier: Tier): Change[] {
  return [...new Set(keys)].flatMap((key): Change[] => {
    const isNew = ownMember(project.keys, key)?.tier !== tier;
    const path = ["keys", key, "tier"];
    return [
      ...(isNew ? [{ kind: "set" as const, path, value: tier, order: MEMBER_ORDER }] : []),
      ...confirmChanges(project, [key]),
    ];
  });
}

/** The tier is inserted after these members. */
const MEMBER_ORDER = ["kind", "values", "minimum", "maximum", "tier"];

function guessOf(project: Pick<Project, "guesses"> | undefined, key: string): string | undefined {
  return project !== undefined && Object.hasOwn(project.guesses, key) ? project.guesses[key] : undefined;
}
