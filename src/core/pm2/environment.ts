import { SvcmError } from "../errors.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { ecosystemFileNames } from "./file-name.ts";

/** An environment that may have an ecosystem file. */
export interface EcosystemEnvironment {
  /** As it was asked for, trimmed and lower-cased: `prod` stays `prod`. */
  readonly environment: string;
  /** What it resolved to: `production`. */
  readonly name: string;
}

type Spellings = ReadonlyMap<string, string>;

/** Every accepted spelling with the name that it stands for: the PM2 profiles first, then what has an env file only. */
export function ecosystemSpellings(contract: RuntimeContract, matrix: CapabilityMatrix): Spellings {
  const names = [...new Set([...matrix.pm2Profiles, ...Object.keys(contract.environments)])];
  const aliases = (name: string): string[] => [
    ...(contract.environments[name]?.aliases ?? []),
    ...Object.entries(matrix.pm2ProfileAliases ?? {}).flatMap(([alias, of]) => (of === name ? [alias] : [])),
  ];
  const spellings = names.flatMap((name) => [name, ...aliases(name)].map((spelling) => [spelling, name] as const));
  // A name stands for itself, even if it is also an alias of another environment.
  return new Map([...spellings, ...names.map((name) => [name, name] as const)]);
}

/** Every spelling of one name. */
export function spellingsOf(spellings: Spellings, name: string): string[] {
  return [...spellings].filter(([, of]) => of === name).map(([spelling]) => spelling);
}

/**
 * Resolves the environment of a request. Without one, `NODE_ENV` decides, else the contract's default.
 *
 * @throws {SvcmError} INVALID_ENVIRONMENT for an unknown spelling; it is never coerced.
 * @see the specification, "GET /api/runtime/pm2-ecosystem"
 */
export function resolveEcosystemEnvironment(
  facts: { readonly contract: RuntimeContract; readonly matrix: CapabilityMatrix },
  asked: string | undefined,
  nodeEnv?: string,
): EcosystemEnvironment {
  const given = asked ?? (nodeEnv?.trim() || facts.contract.defaultEnvironment);
  const environment = given.trim().toLowerCase();
  const spellings = ecosystemSpellings(facts.contract, facts.matrix);
  const name = spellings.get(environment);
  if (name !== undefined) return { environment, name };
  const origin = asked === undefined ? " (from NODE_ENV)" : "";
  const accepted = [...spellings.keys()].join(", ");
  throw new SvcmError("INVALID_ENVIRONMENT", {
    details: `Unsupported environment ${JSON.stringify(given.slice(0, 80))}${origin}. Accepted: ${accepted}.`,
  });
}

/** The file of an environment among the names of its folder; `undefined` where there is none. */
export function chooseEcosystemFile(name: string, listed: readonly string[]): string | undefined {
  const held = new Set(listed);
  return ecosystemFileNames(name).find((fileName) => held.has(fileName));
}
