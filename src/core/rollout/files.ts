import { workingFolders } from "../pm2/problem.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { ComparisonInput } from "./compare.ts";
import type { ExpectedApp } from "./expected.ts";

export function sourceFiles(expected: readonly ExpectedApp[]): string[] {
  return [...new Set(expected.flatMap(({ script, envFiles }) => [script, ...envFiles]))];
}

export function readFileState(
  { stamps }: Pick<Ports, "stamps">,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): Pick<ComparisonInput, "modifiedMs" | "missingFolders"> {
  const files = sourceFiles(expected);
  const modified = new Map(stamps.of(files).map((stamp, index) => [files[index], stamp?.modifiedMs]));
  return { missingFolders: stamps.missing(workingFolders(running)), modifiedMs: (path) => modified.get(path) };
}
