import { SvcmError } from "../../api/errors.ts";
import type { Issue } from "../../api/issue.ts";
import { didYouMean } from "../../words/suggest.ts";

/**
 * The files at or below these paths, which are relative to the root.
 * @throws {SvcmError} INVALID_REQUEST with the code CHECK_PATH_UNKNOWN, because nothing would be checked
 */
export function selectFiles(files: readonly string[], paths: readonly string[]): string[] {
  const unknown = paths.find((path) => !files.some((file) => isWithin(file, path)));
  if (unknown !== undefined) {
    throw new SvcmError("INVALID_REQUEST", {
      code: "CHECK_PATH_UNKNOWN",
      details: `svcm check does not know the file ${JSON.stringify(unknown.slice(0, 200))}. Accepted: ${files.join(", ") || "no file"}.`,
      hint:
        didYouMean(unknown, files) ??
        "svcm env check --file checks any env file, and svcm validate any deployments document.",
    });
  }
  return paths.length === 0 ? [...files] : files.filter((file) => paths.some((path) => isWithin(file, path)));
}

/** An error without a place may have kept a file from being checked. */
export function selectIssues(issues: readonly Issue[], selected: readonly string[], paths: readonly string[]): Issue[] {
  if (paths.length === 0) return [...issues];
  return issues.filter(({ at, severity }) => (at === undefined ? severity === "error" : selected.includes(at.file)));
}

function isWithin(file: string, path: string): boolean {
  return path === "." || file === path || file.startsWith(`${path}/`);
}

export function isPassed(issues: readonly Issue[], strict: boolean): boolean {
  return issues.every(({ severity }) => severity === "warning" && !strict);
}
