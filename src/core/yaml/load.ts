import { parse, YAMLParseError } from "yaml";

/** Where a text stops being YAML; line and column count from 1. The message of the library quotes the text, this has none. */
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

/** The value of a YAML text as other programs read it, merge keys included. @throws {YamlSyntaxError} */
export function loadYaml(text: string): unknown {
  try {
    return parse(text, { merge: true, maxAliasCount: 1000, logLevel: "error" });
  } catch (error) {
    const [start] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    throw new YamlSyntaxError(start?.line ?? 1, start?.col ?? 1);
  }
}
