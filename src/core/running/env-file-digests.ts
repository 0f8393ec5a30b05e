import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { isPlainKey } from "../secrets/secret-value.ts";

/** Keyed digests of values, by key. */
export type Digests = Readonly<Record<string, string>>;

export type Digest = (value: string) => string;

/**
 * What a program reads from an env file, without a value. A line of a private key can look like a key, so such a name
 * is a digest, too.
 */
export function digestEnvFile(text: string, digest: Digest): Digests {
  const entries = [...valuesOf(parseEnvDocument(text))];
  return Object.fromEntries(
    entries.map(([key, value]) => [isPlainKey(key) ? key : `${HIDDEN_KEY}${digest(key)}`, digest(value)]),
  );
}

/**
 * For the record of a start. A file that does not exist declares nothing. A file that cannot be read is left out, so
 * its state stays unknown.
 */
export function digestEnvFiles(
  files: readonly { readonly path: string; readonly text: string | null | undefined }[],
  digest: Digest,
): Readonly<Record<string, Digests>> {
  return Object.fromEntries(
    files.flatMap(({ path, text }) =>
      text === undefined ? [] : [[path, text === null ? {} : digestEnvFile(text, digest)]],
    ),
  );
}

const HIDDEN_KEY = "#";

export function isHiddenKey(key: string): boolean {
  return key.startsWith(HIDDEN_KEY);
}
