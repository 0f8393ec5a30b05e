import { SvcmError } from "../errors.ts";
import type { RuntimeContract } from "../facts/schema.ts";

export interface Environment {
  /** As it was asked for, trimmed and lower-cased: `development` stays `development`. */
  readonly environment: string;
  /** What it resolved to, a name of the contract: `dev`. */
  readonly name: string;
  /** Env file in the config directory: `.env.dev`. */
  readonly fileName: string;
}

/** Every accepted spelling of an environment, aliases behind their name. */
export function environmentSpellings(contract: RuntimeContract): string[] {
  return Object.entries(contract.environments).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
}

/**
 * Resolves the environment of a request. Without one, `NODE_ENV` decides, else the contract's default.
 *
 * @throws {SvcmError} INVALID_ENVIRONMENT for an unknown spelling; it is never coerced.
 * @see the specification, "Env file mapping"
 */
export function resolveEnvironment(
  contract: RuntimeContract,
  asked: string | undefined,
  nodeEnv?: string,
): Environment {
  const given = asked ?? (nodeEnv?.trim() || contract.defaultEnvironment);
  const environment = given.trim().toLowerCase();
  for (const [name, { file, aliases = [] }] of Object.entries(contract.environments)) {
    if (name === environment || aliases.includes(environment)) return { environment, name, fileName: file };
  }
  throw unsupportedEnvironment(given, environmentSpellings(contract), asked === undefined);
}

function unsupportedEnvironment(given: string, accepted: readonly string[], isFromNodeEnv: boolean): SvcmError {
  const origin = isFromNodeEnv ? " (from NODE_ENV)" : "";
  return new SvcmError("INVALID_ENVIRONMENT", {
    details: `Unsupported environment ${JSON.stringify(given.slice(0, 80))}${origin}. Accepted: ${accepted.join(", ")}.`,
  });
}
