import type { ScalarValue } from "./builder.ts";
import { yaml11Kind } from "../yaml11.ts";
import { decline, NINE, PLUS } from "./cursor.ts";

const KEYWORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
const MAX_KEYWORD_LENGTH = 5;
const DECIMAL = /^[-+]?\d+$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

/**
 * Follows the core schema of YAML 1.2. Declines scalars that YAML 1.1 reads differently, because the parser warns about
 * them.
 */
export function plainValue(source: string): ScalarValue {
  const first = source.charCodeAt(0);
  if (first >= PLUS && first <= NINE) return numberOrText(source);
  if (source.length > MAX_KEYWORD_LENGTH) return source;
  const keyword = KEYWORDS.get(source);
  if (keyword !== undefined) return keyword;
  return unambiguousText(source);
}

function numberOrText(source: string): string | number {
  if (DECIMAL.test(source)) return parseInt(source, 10);
  if (FLOAT.test(source)) return parseFloat(source);
  if (/^0o[0-7]+$/.test(source)) return parseInt(source.slice(2), 8);
  if (/^0x[0-9a-fA-F]+$/.test(source)) return parseInt(source, 16);
  if (INFINITE.test(source)) return source.startsWith("-") ? -Infinity : Infinity;
  return NOT_A_NUMBER.test(source) ? NaN : unambiguousText(source);
}

function unambiguousText(source: string): string {
  return yaml11Kind(source) === undefined ? source : decline();
}
