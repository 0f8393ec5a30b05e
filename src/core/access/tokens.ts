/** `.svcm/tokens.json` contains digests, never a token. */
import { type Limits, roles, type Role } from "../api/rights.ts";
import * as z from "zod/mini";

import { SvcmError } from "../api/errors.ts";
import { shellQuote } from "../words/text.ts";

/** A token is `svcm_` plus 32 random bytes, so its digest needs no salt. */
export interface StoredToken extends Limits {
  readonly name: string;
  readonly role: Role;
  readonly propose?: boolean | undefined;
  /** SHA-256 of the token, base64url. */
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
}

export const TOKENS_FILE = "tokens.json";
export const MAX_TOKENS = 1000;

const limit = z.optional(z.array(z.string()));
const fileSchema = z.strictObject({
  version: z.literal(1),
  tokens: z.array(
    z.strictObject({
      name: z.string(),
      role: z.enum(roles),
      propose: z.optional(z.boolean()),
      digest: z.string().check(z.length(43)),
      createdAt: z.iso.datetime(),
      expiresAt: z.optional(z.iso.datetime()),
      environments: limit,
      services: limit,
    }),
  ),
});

/** @throws {SvcmError} TOKENS_FAILED if the file is damaged; svcm then grants nothing. */
export function parseTokens(text: string, path: string): readonly StoredToken[] {
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch {
    throw new SvcmError("TOKENS_FAILED", {
      code: "TOKENS_INVALID",
      path,
      details: `${path} is not a file of svcm's tokens. Accepted: what svcm token create writes. Restore it, or remove it and create the tokens again.`,
    });
  }
}

export function renderTokens(tokens: readonly StoredToken[]): string {
  return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`;
}

/** @throws {SvcmError} TOKEN_EXISTS, INVALID_PAYLOAD if there are too many */
export function addToken(tokens: readonly StoredToken[], token: StoredToken): readonly StoredToken[] {
  if (tokens.some(({ name }) => name === token.name))
    throw new SvcmError("TOKEN_EXISTS", {
      details: `A token has the name ${JSON.stringify(token.name)}. Accepted: another name. svcm token revoke ${shellQuote(token.name)} removes the old token.`,
    });
  if (tokens.length >= MAX_TOKENS)
    throw new SvcmError("INVALID_PAYLOAD", {
      details: `Accepted: ${MAX_TOKENS} tokens. Revoke one that is not used.`,
    });
  return [...tokens, token];
}

/** @throws {SvcmError} TOKEN_NOT_FOUND */
export function removeToken(tokens: readonly StoredToken[], name: string): readonly StoredToken[] {
  const remaining = tokens.filter((token) => token.name !== name);
  if (remaining.length < tokens.length) return remaining;
  const names = tokens.map((token) => token.name).toSorted();
  const accepted = names.length === 0 ? "There is no token." : `Accepted: ${names.join(", ")}.`;
  throw new SvcmError("TOKEN_NOT_FOUND", { details: `No token has the name ${JSON.stringify(name)}. ${accepted}` });
}

export function isExpired({ expiresAt }: Pick<StoredToken, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}
