import { hasCredentials, isSecretName } from "./redact.ts";

const PLACEHOLDER =
  /^\s*(?:|<.*>|\$\{.*\}|x+|\*+|\.+|your[ _-].*|(?:change|replace|fill)[ _-]?(?:me|this|in).*|todo.*)$/is;

const MIN_RANDOM_LENGTH = 24;
/** In a URL, little else is long, so the limit is lower. */
const MIN_RANDOM_LENGTH_IN_URL = 20;
/** The share of neighbouring characters that change between digits, capitals and small letters. */
const MIN_CHANGE_SHARE = 0.2;
/** Higher without digits, because words in camel case also change. */
const MIN_CHANGE_SHARE_OF_LETTERS = 0.3;

/** True for `<token>`, `changeme`, `your-key` and empty text. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** By its form: credentials, a known token, a private key, or random-looking text. */
export function isSecretValue(value: string): boolean {
  if (isPlaceholder(value)) return false;
  return hasCredentials(value) || hasRandomPart(value);
}

/** For variables that no contract lists. */
export function isSecretVariable(name: string, value: string): boolean {
  return value !== "" && (isSecretName(name) || isSecretValue(value));
}

function hasRandomPart(value: string): boolean {
  const shortest = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? MIN_RANDOM_LENGTH_IN_URL : MIN_RANDOM_LENGTH;
  // A slash separates the parts of a URL, but is also a character of base64.
  const parts = [...value.split(/[^\w+=~-]+/), ...value.split(/[^\w+/=~-]+/)];
  return parts.some((part) => part.length >= shortest && looksRandom(part));
}

function looksRandom(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z\d]/g, "");
  const kinds = Array.from(letters, characterKind);
  // A capital may begin a word, so the small letter after it does not count as a change.
  const changes = kinds.filter((kind, index) => {
    const before = kinds[index - 1];
    return before !== undefined && kind !== before && !(before === "capital" && kind === "small");
  });
  const share = changes.length / Math.max(letters.length - 1, 1);
  return share >= (kinds.includes("digit") ? MIN_CHANGE_SHARE : MIN_CHANGE_SHARE_OF_LETTERS);
}

function characterKind(letter: string): "digit" | "capital" | "small" {
  if (letter <= "9") return "digit";
  return letter <= "Z" ? "capital" : "small";
}

const PART = "(?:[A-Z\\d]+|[a-z\\d]+|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*[A-Z]{0,4})";
const PLAIN = /* @__PURE__ */ new RegExp(`^(?!\\d)_*${PART}(?:[_.-]+${PART})*[_.-]*$`);

/**
 * True if a key may be shown. An unquoted line of a private key can look like a key, so a key must look like a name:
 * capitals, small letters or camel case between its separators.
 */
export function isPlainKey(key: string): boolean {
  return PLAIN.test(key) && !isSecretValue(key);
}
