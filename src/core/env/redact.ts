export const REDACTED = "[REDACTED]";

/** Hides the user and password of every URL in a text: `redis://u:p@h` reads `redis://[REDACTED]@h`. */
export function maskCredentials(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*:[/\\]{2,})[^/?#\s]*@/gi, `$1${REDACTED}@`)
    .replaceAll(/([?&](?:[\w-]*(?:password|passwd|secret|token|auth|key))=)[^&#\s]+/gi, `$1${REDACTED}`);
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
