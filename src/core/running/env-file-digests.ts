import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { isPlainKey } from "../secrets/secret-value.ts";

/** Keyed digests of values, by key. */
export type Digests = Readonly<Record<string, string>>;

export type Digest = (value: string) => string;

/**
 * Digests what a program reads from an env file, without a value. A line of a private key can look like a key, so such a name
 * is a digest, too.
 */
export function digestEnvFile(text: string, digest: Digest): Digests {
  const entries = [...valuesOf(parseEnvDocument(text))];
  return Object.fromEntries(
    entries.map(([key, value]) => [isPlainKey(key) ? key : `${HIDDEN_KEY}${digest(key)}`, digest(value)]),
  );
}

const HIDDEN_KEY = "#";

export function isHiddenKey(key: string): boolean {
  return key.startsWith(HIDDEN_KEY);
}
