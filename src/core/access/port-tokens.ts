import type { StoredToken } from "./tokens.ts";

/** The tokens of a repository, in `.svcm/tokens.json`. */
export interface Tokens {
  /**
   * Reads the file only after a change. Synchronous, because every request with a token needs it.
   * @returns `undefined` if there is no file: the repository has never had a token
   * @throws {SvcmError} TOKENS_FAILED
   */
  current(): readonly StoredToken[] | undefined;

  /**
   * Replaces the tokens in one locked transaction. `beforeWrite` runs before the first byte is written.
   * @throws {SvcmError} TOKENS_FAILED; errors of `decide` and `beforeWrite` pass through
   */
  update(
    decide: (tokens: readonly StoredToken[]) => readonly StoredToken[],
    beforeWrite: () => Promise<void>,
  ): Promise<void>;

  /** Creates a secret. */
  createSecret(): string;
}

export interface HasTokens {
  readonly tokens: Tokens;
}
