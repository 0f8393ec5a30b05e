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
export const COLON = 0x3a;

/** A place in a text that moves on as the text is read. */
export class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The UTF-16 unit here, or so many units behind; NaN past the end of the text. */
  unit(ahead = 0): number {
    return this.text.charCodeAt(this.position + ahead);
  }

  isAtLineEnd(ahead = 0): boolean {
    const unit = this.unit(ahead);
    return unit === LF || unit === CR || Number.isNaN(unit);
  }

  skipSpaces(): void {
    while (this.unit() === SPACE) this.position++;
  }

  /** Reads what a sticky expression matches here; `undefined`, and no step, where it does not. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }
}
