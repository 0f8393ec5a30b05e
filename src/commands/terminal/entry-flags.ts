import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import {
  interfaceFields,
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
  refusal,
  SvcmError,
  targetFields,
  type Field,
  type Issue,
  deploymentsCheck,
} from "../../core/index.ts";
import { pluralize } from "../../core/words/text.ts";
import type { SvcmCommand } from "../base.ts";
import type { Column } from "./table.ts";
import type { Verdict } from "./screen.ts";

/** Help shows the packaged vocabulary; a repository may have a different one. */
const packaged = { contract, matrix };
const MAX_LISTED_VALUES = 8;

export const targetArgs = {
  target: Args.string({
    ignoreStdin: true,
    description: "Name of the deploy target. Case does not matter.",
    required: true,
  }),
};
export const adapterArgs = {
  adapter: Args.string({
    ignoreStdin: true,
    description: "Controller mapping of the adapter, or its number in svcm interfaces list.",
    required: true,
  }),
};

export const targetFlags = fieldFlags(targetFields);
export const interfaceFlags = fieldFlags(interfaceFields);

type FlagField<Flag extends string> = Field & { readonly flag: Flag };

function fieldFlags<Flag extends string>(
  fields: readonly FlagField<Flag>[],
): Record<Flag, ReturnType<typeof fieldFlag>> {
  return Object.fromEntries(fields.map((field) => [field.flag, fieldFlag(field)])) as never;
}

function fieldFlag({ accepted, flagAliases = [], help, label }: Field) {
  const values = accepted?.({}, packaged) ?? [];
  const acceptedText = values.length > 0 && values.length <= MAX_LISTED_VALUES ? ` One of ${values.join(", ")}.` : "";
  const noun = label.split(" ").at(-1)?.toLowerCase();
  return Flags.string({ summary: help + acceptedText, helpValue: `<${noun}>`, aliases: [...flagAliases] });
}

export function fieldValues(
  flags: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ flag = "", name }) => {
      const value = flags[flag];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

/** Adds the flag of each field to a refusal; returns other errors unchanged. */
export function addFlagNames(error: unknown, fields: readonly Field[], canClear: boolean): unknown {
  if (!(error instanceof SvcmError) || error.kind !== "INVALID_PAYLOAD" || !error.body.issues) return error;
  const issues = error.body.issues.map((issue) => ({ ...issue, message: messageWithFlag(issue, fields, canClear) }));
  return refusal("INVALID_PAYLOAD", issues);
}

function messageWithFlag({ path, message, accepted, at }: Issue, fields: readonly Field[], canClear: boolean): string {
  // An issue with a location concerns the document, not a flag.
  if (at !== undefined) return message;
  const field = String(path.at(-1));
  const flag = fields.find(({ name }) => name === field)?.flag;
  if (flag === undefined) return message;
  if (accepted?.length !== 0) return `${message} (--${flag})`;
  return `${message} (${canClear ? `--clear ${field} removes it` : `leave --${flag} out`})`;
}

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
