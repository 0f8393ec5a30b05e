/** Line and column count from 1. */
export class LineTable {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) this.#starts.push(end + 1);
  }

  placeOf(offset: number): { readonly line: number; readonly column: number } {
    let [line, beyond] = [0, this.#starts.length];
    while (beyond - line > 1) {
      const middle = (line + beyond) >> 1;
      if ((this.#starts[middle] ?? Infinity) <= offset) line = middle;
      else beyond = middle;
    }
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1 };
  }
}
