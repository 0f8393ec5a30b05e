import { foldersOf } from "../pm2/problem.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Ports } from "../ports/index.ts";
import type { ComparisonInput } from "./compare.ts";
import type { ExpectedApp } from "./expected.ts";

export function filesBehind(expected: readonly ExpectedApp[]): string[] {
  return [...new Set(expected.flatMap(({ script, envFiles }) => [script, ...envFiles]))];
}

export function filesNow(
  { stamps }: Pick<Ports, "stamps">,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): Pick<ComparisonInput, "modifiedMs" | "missingFolders"> {
  const files = filesBehind(expected);
  const modified = new Map(stamps.read(files).map((stamp, index) => [files[index], stamp?.modifiedMs]));
  return { missingFolders: stamps.missing(foldersOf(running)), modifiedMs: (path) => modified.get(path) };
}
