/** The text holds something that the scan does not know: the parser of the whole language has to read it. */
export class Declined extends Error {
  override readonly name = "Declined";
}

export function decline(): never {
  throw new Declined();
}

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

/** A place in a text that moves on as the text is read. */
export class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    // Each line has an end, so that nothing asks for what is behind the text, which would be slow.
    this.text = text.endsWith("\n") ? text : `${text}\n`;
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** The UTF-16 unit here, or so many units further. */
  unit(ahead = 0): number {
    return this.text.charCodeAt(this.position + ahead);
  }

  isAtLineEnd(ahead = 0): boolean {
    return endsLine(this.unit(ahead));
  }

  skipSpaces(): void {
    while (this.unit() === SPACE) this.position++;
  }

  /** Steps over what a sticky expression matches here; false, and no step, where it does not. */
  skip(expression: RegExp): boolean {
    expression.lastIndex = this.position;
    const isFound = expression.test(this.text);
    if (isFound) this.position = expression.lastIndex;
    return isFound;
  }

  /** Reads what a sticky expression matches here; `undefined`, and no step, where it does not. */
  match(expression: RegExp): string | undefined {
    const { position } = this;
    return this.skip(expression) ? this.text.slice(position, this.position) : undefined;
  }
}

export function endsLine(unit: number): boolean {
  return unit === LF || unit === CR;
}

/** An ASCII letter or digit: what nearly everything begins with, and needs no expression to be told. */
export function isWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);
}
