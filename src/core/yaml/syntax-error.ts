/** Line and column count from 1. Unlike the library's message, this one does not quote the text. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number) {
    super("not YAML");
    this.line = line;
    this.column = column;
  }
}
