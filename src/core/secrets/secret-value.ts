import { hasCredentials } from "./redact.ts";
import { isSecretName } from "./secret-name.ts";

/** Text that marks the place of a secret. */
const PLACEHOLDER =
  /^\s*(?:|<.*>|\$\{.*\}|x+|\*+|\.+|your[ _-].*|(?:change|replace|fill)[ _-]?(?:me|this|in).*|todo.*)$/is;

const SHORTEST_RANDOM = 24;
/** In a URL, where little else is long. */
const SHORTEST_RANDOM_IN_URL = 20;
/** Of neighbouring characters, the share that changes between digits, capitals and small letters. */
const RANDOM_SHARE = 0.2;
/** Words in camel case change as well: without a digit, it has to be more. */
const RANDOM_SHARE_OF_LETTERS = 0.3;

/** True for a text that only marks the place of a value: `<token>`, `changeme`, `your-key`, or nothing at all. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/**
 * Returns true if a text is a secret by its shape alone: credentials, a known form of token, a private key, a URL with
 * a random-looking part, or random-looking text. A placeholder such as `<token>` or `changeme` is not.
 */
export function isSecretValue(value: string): boolean {
  if (isPlaceholder(value)) return false;
  return hasCredentials(value) || hasRandomPart(value);
}

/** Returns true if the name or the value of a variable is that of a secret. For variables that no contract lists. */
export function isSecretVariable(name: string, value: string): boolean {
  return value !== "" && (isSecretName(name) || isSecretValue(value));
}

function hasRandomPart(value: string): boolean {
  const shortest = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? SHORTEST_RANDOM_IN_URL : SHORTEST_RANDOM;
  // A slash separates the parts of an address, but it is also a digit of base64.
  const parts = [...value.split(/[^\w+=~-]+/), ...value.split(/[^\w+/=~-]+/)];
  return parts.some((part) => part.length >= shortest && looksRandom(part));
}

function looksRandom(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z\d]/g, "");
  const kinds = Array.from(letters, kindOf);
  // A capital begins a word, so the small letter after it is not a change.
  const changes = kinds.filter((kind, index) => {
    const before = kinds[index - 1];
    return before !== undefined && kind !== before && !(before === "capital" && kind === "small");
  });
  const share = changes.length / Math.max(letters.length - 1, 1);
  return share >= (kinds.includes("digit") ? RANDOM_SHARE : RANDOM_SHARE_OF_LETTERS);
}

function kindOf(letter: string): "digit" | "capital" | "small" {
  if (letter <= "9") return "digit";
  return letter <= "Z" ? "capital" : "small";
}
