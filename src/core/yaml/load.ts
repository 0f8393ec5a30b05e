import { YAMLParseError, parse } from "yaml";

/** Reads YAML as other programs do, including merge keys. @throws {YamlSyntaxError} */
export function loadYaml(text: string): unknown {
  try {
    return parse(text, { merge: true, maxAliasCount: 1000, logLevel: "error" });
  } catch (error) {
    const [start] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    throw new YamlSyntaxError(start?.line ?? 1, start?.col ?? 1);
  }
}

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
