import { scanJson } from "../words/json-scan.ts";
import type { YamlSource } from "./source.ts";

/** Refuses YAML in a file whose name says JSON. `undefined` for JSON, and for an empty file, which is another error. */
export function refuseNoJson(text: string, file: string): YamlSource | undefined {
  const source = text.replace(/^\uFEFF/, "");
  const problem = scanJson(source);
  if (problem?.kind !== "syntax" || source.trim() === "") return undefined;
  const before = source.slice(0, problem.position).split("\n");
  const place = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  const message = `is not JSON: expected ${problem.expected}`;
  const issue = { code: "JSON_SYNTAX", severity: "error", path: [], message, at: place } as const;
  return { file, value: undefined, issues: [issue], at: () => place, written: () => undefined };
}
