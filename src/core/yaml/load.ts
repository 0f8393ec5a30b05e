import { parse, YAMLParseError } from "yaml";
import { YamlSyntaxError } from "./syntax-error.ts";

/** Reads YAML as other programs do, including merge keys. @throws {YamlSyntaxError} */
export function loadYaml(text: string): unknown {
  try {
    return parse(text, { merge: true, maxAliasCount: 1000, logLevel: "error" });
  } catch (error) {
    const [start] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    throw new YamlSyntaxError(start?.line ?? 1, start?.col ?? 1);
  }
}
