import type { Issue } from "../api/issue.ts";
import type { ExportFormat } from "../api/names.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { isPlainKey } from "../secrets/redact.ts";
import { specOf, tierOf, maskValue } from "./runtime-keys.ts";

export interface Exported {
  readonly values: Readonly<Record<string, string>>;
  readonly withheld: readonly string[];
}

export function exportedValues(contract: RuntimeContract, values: ReadonlyMap<string, string>): Exported {
  const isExportable = ([key, value]: [string, string]): boolean =>
    tierOf(contract, key) !== "never-exposed" && maskValue(specOf(contract, key), value) === value;
  const entries = [...values];
  return {
    values: Object.fromEntries(entries.filter(isExportable)),
    withheld: entries.filter((entry) => !isExportable(entry)).flatMap(([key]) => (isPlainKey(key) ? [key] : [])),
  };
}

interface Grammar {
  /** Completes the sentence "<key> cannot be exported: …". */
  readonly findProblem: (key: string, value: string) => string | undefined;
  readonly formatLine: (key: string, value: string) => string;
}

/** `docker --env-file` cannot read longer lines. */
const MAX_DOCKER_LINE_BYTES = 64 * 1024;

const grammars: Readonly<Record<Exclude<ExportFormat, "json">, Grammar>> = {
  shell: {
    findProblem: (key) =>
      /^[A-Za-z_]\w*$/.test(key) ? undefined : "a shell variable has only letters, digits and _ in its name",
    formatLine: (key, value) => `export ${key}='${value.replaceAll("'", String.raw`'\''`)}'`,
  },
  // docker/cli, pkg/kvfile: a line is a name, `=` and the raw value, without quotes or escapes.
  docker: {
    findProblem: (key, value) => {
      if (/\n|\r$/.test(value)) return "its value holds a line break, which docker --env-file cannot hold";
      const length = new TextEncoder().encode(`${key}=${value}`).length;
      return length < MAX_DOCKER_LINE_BYTES
        ? undefined
        : "its line is longer than the 64 KiB that docker --env-file reads";
    },
    formatLine: (key, value) => `${key}=${value}`,
  },
};

export function exportIssues(values: Exported["values"], format: ExportFormat): Issue[] {
  if (format === "json") return [];
  return Object.entries(values).flatMap(([key, value]): Issue[] => {
    const problem = grammars[format].findProblem(key, value);
    const message = `${key} cannot be exported: ${problem}; accepted: --format json`;
    return problem === undefined
      ? []
      : [{ code: "ENV_EXPORT_UNWRITABLE", severity: "error", path: ["values", key], message }];
  });
}

/** The values were accepted by {@link exportIssues} for this format. */
export function exportText(values: Exported["values"], format: ExportFormat): string {
  if (format === "json") return JSON.stringify(values, null, 2);
  return Object.entries(values)
    .map(([key, value]) => grammars[format].formatLine(key, value))
    .join("\n");
}
