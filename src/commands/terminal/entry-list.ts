import { refusal, deploymentsCheck, type Field, type Issue } from "../../core/index.ts";
import { pluralize } from "../../core/words/text.ts";
import type { SvcmCommand } from "../base.ts";
import type { Column } from "./table.ts";
import type { Verdict } from "./verdict.ts";

export interface ListedEntry {
  readonly entry: unknown;
  readonly issues: readonly Issue[];
}

export async function listEntries(
  command: SvcmCommand,
  flags: { readonly file: string },
  section: "interfaces" | "deployments",
): Promise<ListedEntry[]> {
  const { response, maskedDocument } = await command.execute(deploymentsCheck, { file: flags.file, section });
  const document = maskedDocument() as Partial<Record<typeof section, unknown>> | null | undefined;
  if (document === undefined) throw refusal("SUITE_FILE_FAILED", response.issues);
  const list = document?.[section];
  const entries = (Array.isArray(list) ? list : []).map((entry: unknown) => ({ entry, issues: [] as Issue[] }));
  for (const issue of response.issues) entries[Number(issue.path[1])]?.issues.push(issue);
  return entries;
}

export function entriesVerdict(entries: readonly ListedEntry[], noun: string, next: string): Verdict {
  const bad = entries.filter(({ issues }) => issues.length > 0).length;
  const count = pluralize(entries.length, noun);
  if (bad === 0) return { text: `${count}, ${entries.length === 1 ? "valid" : "all valid"}.`, tone: "good" };
  return { text: `${count}, ${bad} not valid.`, tone: "bad", next };
}

export function entryColumns(fields: readonly Field[]): Column<ListedEntry>[] {
  const columns = fields
    .flatMap(({ accepted, column, label, name }) => (column === undefined ? [] : [{ accepted, column, label, name }]))
    .toSorted((a, b) => a.column - b.column)
    .map(({ accepted, column, label, name }): Column<ListedEntry> => ({
      heading: label.toUpperCase(),
      cell: ({ entry }) => cellText((entry as Record<string, unknown> | null)?.[name]),
      shorten: accepted ? "end" : "middle",
      ...(column > 1 && { dropPriority: column }),
    }));
  const verdict: Column<ListedEntry> = {
    heading: "VERDICT",
    cell: ({ issues }) => issues.map(({ code }) => code).join(", ") || "valid",
    shorten: "fold",
    colour: ({ issues }, { green, red }) => (issues.length === 0 ? green : red),
  };
  return [...columns, verdict];
}

function cellText(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
