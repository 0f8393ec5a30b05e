import { isSecretValue } from "../secrets/secret-value.ts";

const PART = "(?:[A-Z\\d]+|[a-z\\d]+|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*[A-Z]{0,4})";
const PLAIN = new RegExp(`^(?!\\d)_*${PART}(?:[_.-]+${PART})*[_.-]*$`);

/**
 * True if a key may be shown. A line of a private key without quotes can read as a key, so a key must look like a name:
 * capitals, small letters or camel case between its separators.
 */
export function isPlainKey(key: string): boolean {
  return PLAIN.test(key) && !isSecretValue(key);
}
