import type { Issue } from "../api/issue.ts";
import type { ExportFormat } from "../api/names.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { isPlainKey } from "../secrets/secret-value.ts";
import { specOf, tierOf } from "./tiers.ts";
import { shownValue } from "./values.ts";

export interface Exported {
  readonly values: Readonly<Record<string, string>>;
  readonly withheld: readonly string[];
}

/** Without what svcm never shows: the never-exposed tier, and values with credentials. */
export function exportedValues(contract: RuntimeContract, held: ReadonlyMap<string, string>): Exported {
  const isShown = ([key, value]: [string, string]): boolean =>
    tierOf(contract, key) !== "never-exposed" && shownValue(specOf(contract, key), value) === value;
  const entries = [...held];
  return {
    values: Object.fromEntries(entries.filter(isShown)),
    withheld: entries.filter((entry) => !isShown(entry)).flatMap(([key]) => (isPlainKey(key) ? [key] : [])),
  };
}

interface Grammar {
  /** Completes the sentence "<key> cannot be exported: …". */
  readonly refuses: (key: string, value: string) => string | undefined;
  readonly written: (key: string, value: string) => string;
}

/** `docker --env-file` cannot read longer lines. */
const DOCKER_LINE = 64 * 1024;

const grammars: Readonly<Record<Exclude<ExportFormat, "json">, Grammar>> = {
  shell: {
    refuses: (key) =>
      /^[A-Za-z_]\w*$/.test(key) ? undefined : "a shell variable has only letters, digits and _ in its name",
    written: (key, value) => `export ${key}='${value.replaceAll("'", String.raw`'\''`)}'`,
  },
  // docker/cli, pkg/kvfile: a line is a name, `=` and the raw value, without quotes or escapes.
  docker: {
    refuses: (key, value) => {
      if (/\n|\r$/.test(value)) return "its value holds a line break, which docker --env-file cannot hold";
      const length = new TextEncoder().encode(`${key}=${value}`).length;
      return length < DOCKER_LINE ? undefined : "its line is longer than the 64 KiB that docker --env-file reads";
    },
    written: (key, value) => `${key}=${value}`,
  },
};

export function exportIssues(values: Exported["values"], format: ExportFormat): Issue[] {
  if (format === "json") return [];
  return Object.entries(values).flatMap(([key, value]): Issue[] => {
    const why = grammars[format].refuses(key, value);
    const message = `${key} cannot be exported: ${why}; accepted: --format json`;
    return why === undefined
      ? []
      : [{ code: "ENV_EXPORT_UNWRITABLE", severity: "error", path: ["values", key], message }];
  });
}

/** The values were accepted by {@link exportIssues} for this format. */
export function exportText(values: Exported["values"], format: ExportFormat): string {
  if (format === "json") return JSON.stringify(values, null, 2);
  return Object.entries(values)
    .map(([key, value]) => grammars[format].written(key, value))
    .join("\n");
}
