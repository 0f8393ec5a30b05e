/** The syntax is not supported here, so the full parser must read the text. */
export class Declined extends Error {
  override readonly name = "Declined";
}

export function decline(): never {
  throw new Declined();
}

export const MAX_DEPTH = 15;

export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const HASH = 0x23;
export const DASH = 0x2d;
export const PLUS = 0x2b;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const OPEN_MAP = 0x7b;

export class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    // With a final line break, the scanner need not check for the end of the text.
    this.text = text.endsWith("\n") ? text : `${text}\n`;
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  unit(ahead = 0): number {
    return this.text.charCodeAt(this.position + ahead);
  }

  isAtLineEnd(ahead = 0): boolean {
    return endsLine(this.unit(ahead));
  }

  skipSpaces(): void {
    while (this.unit() === SPACE) this.position++;
  }

  skip(expression: RegExp): boolean {
    expression.lastIndex = this.position;
    const isFound = expression.test(this.text);
    if (isFound) this.position = expression.lastIndex;
    return isFound;
  }

  match(expression: RegExp): string | undefined {
    const { position } = this;
    return this.skip(expression) ? this.text.slice(position, this.position) : undefined;
  }
}

export function endsLine(unit: number): boolean {
  return unit === LF || unit === CR;
}

/** Faster than a regular expression for the most frequent characters. */
export function isWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);
}
