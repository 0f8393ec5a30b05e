import { parseYaml } from "./parse.ts";
import type { YamlSource } from "./source.ts";
import { scanJson } from "../words/json.ts";

export function readSource(text: string, file: string): YamlSource {
  return (isJsonFile(file) ? refuseInvalidJson(text, file) : undefined) ?? parseYaml(text, file);
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith(".json");
}

/** An empty file is a different error. */
function refuseInvalidJson(text: string, file: string): YamlSource | undefined {
  const source = text.replace(/^\uFEFF/, "");
  const problem = scanJson(source);
  if (problem?.kind !== "syntax" || source.trim() === "") return undefined;
  const before = source.slice(0, problem.position).split("\n");
  const location = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  const message = `is not JSON: expected ${problem.expected}`;
  const issue = { code: "JSON_SYNTAX", severity: "error", path: [], message, at: location } as const;
  return { value: undefined, issues: [issue], at: () => location, scalarSource: () => undefined };
}
