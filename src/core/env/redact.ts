export const REDACTED = "[REDACTED]";

/**
 * Hides the user and password of every URL in a text: `redis://u:p@h` reads `redis://[REDACTED]@h`.
 * Everything up to the last `@` of a word goes, since a password may itself hold `/`, `?` or `@`: rather
 * too much than a part of it. Secret-like parameters are hidden too.
 */
export function maskCredentials(text: string): string {
  return text
    .replaceAll(/\S+/g, maskUserinfo)
    .replaceAll(/([?&][\w-]{0,40}(?:password|passwd|secret|token|auth|key)=)[^&#\s]+/gi, `$1${REDACTED}`);
}

const SECRET_MEMBER =
  /((?:password|passwd|secret|token|credentials?|(?:api|access|private|signing)[-_]?key)["']?\s{0,20}[:=]\s{0,20})\S.*$/i;

/** A source line for people: without credentials, and without the value of a member that is named like a secret. */
export function maskSource(line: string): string {
  return maskCredentials(line.replace(SECRET_MEMBER, `$1${REDACTED}`));
}

function maskUserinfo(word: string): string {
  const at = word.lastIndexOf("@");
  const start = at === -1 ? null : /[a-z0-9]:[/\\]+/i.exec(word);
  const from = start ? start.index + start[0].length : Infinity;
  return from <= at ? `${word.slice(0, from)}${REDACTED}${word.slice(at)}` : word;
}

/** Whether a text holds a URL that carries a user, a password or a secret-like parameter. */
export function hasCredentials(text: string): boolean {
  return maskCredentials(text) !== text;
}

/** A value that prints itself as `[REDACTED]`; only `reveal` gives it away. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
