import { SvcmError } from "../errors.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";

export interface Environment {
  /** As the request spells it, trimmed and in small letters: `development` stays `development`. */
  readonly environment: string;
  /** The canonical name: `dev`. */
  readonly name: string;
}

/** Every accepted spelling of an environment with its canonical name. */
export type Spellings = ReadonlyMap<string, string>;

/** The environments of env files, each name before its aliases. */
export function envSpellings(contract: RuntimeContract): Spellings {
  const known = envSpellingsOf.get(contract);
  if (known !== undefined) return known;
  const environments = Object.entries(contract.environments);
  const spellings = new Map(
    environments.flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((spelling) => [spelling, name] as const)),
  );
  envSpellingsOf.set(contract, spellings);
  return spellings;
}

/** Every request of an env file needs them, and a contract does not change. */
const envSpellingsOf = new WeakMap<RuntimeContract, Spellings>();

/** The environments of ecosystem files: the PM2 profiles, then those that have an env file only. */
export function ecosystemSpellings(contract: RuntimeContract, matrix: CapabilityMatrix): Spellings {
  const names = [...new Set([...matrix.pm2Profiles, ...Object.keys(contract.environments)])];
  const aliases = (name: string): string[] => [
    ...(contract.environments[name]?.aliases ?? []),
    ...Object.entries(matrix.pm2ProfileAliases ?? {}).flatMap(([alias, of]) => (of === name ? [alias] : [])),
  ];
  const spellings = names.flatMap((name) => [name, ...aliases(name)].map((spelling) => [spelling, name] as const));
  // A name means itself, even if it is also an alias of another environment.
  return new Map([...spellings, ...names.map((name) => [name, name] as const)]);
}

export function spellingsOf(spellings: Spellings, name: string): string[] {
  return [...spellings].filter(([, of]) => of === name).map(([spelling]) => spelling);
}

/**
 * Resolves the environment of a request. Without one, `NODE_ENV` decides, else the contract's default.
 *
 * @throws {SvcmError} INVALID_ENVIRONMENT for an unknown spelling; it is never coerced.
 * @see the specification, "Env file mapping" and "GET /api/runtime/pm2-ecosystem"
 */
export function resolveEnvironment(
  spellings: Spellings,
  contract: Pick<RuntimeContract, "defaultEnvironment">,
  asked: string | undefined,
  nodeEnv?: string,
): Environment {
  const given = asked ?? (nodeEnv?.trim() || contract.defaultEnvironment);
  const environment = given.trim().toLowerCase();
  const name = spellings.get(environment);
  if (name !== undefined) return { environment, name };
  const origin = asked === undefined ? " (from NODE_ENV)" : "";
  const accepted = [...spellings.keys()].join(", ");
  throw new SvcmError("INVALID_ENVIRONMENT", {
    details: `Unsupported environment ${JSON.stringify(given.slice(0, 80))}${origin}. Accepted: ${accepted}.`,
  });
}
