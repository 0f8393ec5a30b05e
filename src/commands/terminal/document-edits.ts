import {
  type DocumentEditResponse,
  type Field,
  type Operation,
  entryQuestion,
  suggestionText,
  type EntryQuestion,
} from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { renderDryRun } from "./changes.ts";
import { addFlagNames, fieldValues } from "./entry-flags.ts";
import { UsageError } from "./errors.ts";
import { canPrompt, confirmChange, type Prompter, withPrompter } from "./prompt.ts";

interface EditFlags {
  readonly file: string;
  readonly "dry-run": boolean;
  readonly clear?: readonly string[];
}

interface DocumentOptions {
  readonly file?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

interface DocumentEdit<Input extends DocumentOptions> {
  readonly operation: Operation<Input, DocumentEditResponse>;
  readonly input: Omit<Input, keyof DocumentOptions>;
  readonly fields?: readonly Field[];
}

/** @param describeResult the beginning of the success message: `Added prod to deployments.yaml` */
export async function editDocument<Input extends DocumentOptions>(
  command: SvcmCommand,
  flags: EditFlags,
  {
    describeResult,
    ...request
  }: DocumentEdit<Input> & { readonly describeResult: (response: DocumentEditResponse) => string },
): Promise<DocumentEditResponse> {
  const response = await executeEdit(command, flags, request);
  printEdit(command, response, describeResult(response));
  return response;
}

/** In a terminal, svcm asks for missing values. */
export async function addEntry<Input extends DocumentOptions & { readonly values: Record<string, string> }>(
  command: SvcmCommand,
  flags: EditFlags & Readonly<Record<string, unknown>>,
  { operation, section, fields }: Addition<Input>,
): Promise<DocumentEditResponse> {
  const values = await promptForMissingValues(command, flags, section, fieldValues(flags, fields));
  const input = { values: { ...values } } as Omit<Input, keyof DocumentOptions>;
  return editDocument(command, flags, { operation, input, fields, describeResult: additionText });
}

function additionText({ target, file }: DocumentEditResponse): string {
  return `Added ${target} to ${file}`;
}

interface Addition<Input extends DocumentOptions> {
  readonly operation: Operation<Input, DocumentEditResponse>;
  readonly section: "interfaces" | "deployments";
  readonly fields: readonly Field[];
}

export async function removeEntry<Input extends DocumentOptions>(
  command: SvcmCommand,
  flags: EditFlags & { readonly yes: boolean },
  removal: DocumentEdit<Input>,
): Promise<DocumentEditResponse> {
  if (!flags["dry-run"] && !flags.yes && canPrompt(command)) {
    const planned = await executeEdit(command, { ...flags, "dry-run": true }, removal);
    const isConfirmed = await confirmChange(command, `Remove ${planned.target} from ${planned.file}?`);
    if (!isConfirmed) return { ...planned, changed: false };
  }
  const response = await executeEdit(command, flags, removal);
  printEdit(command, response, `Removed ${response.target} from ${response.file}.`);
  return response;
}

export async function executeEdit<Input extends DocumentOptions>(
  command: SvcmCommand,
  flags: EditFlags,
  { operation, input, fields = [] }: DocumentEdit<Input>,
): Promise<DocumentEditResponse> {
  try {
    return await command.execute(operation, { ...input, file: flags.file, dryRun: flags["dry-run"] } as never);
  } catch (error) {
    throw addFlagNames(error, fields, flags.clear !== undefined);
  }
}

/** @throws {UsageError} if there is no change, or if a field is both set and cleared */
export function requireChange(values: Readonly<Record<string, string>>, clear: readonly string[], hint: string): void {
  const both = clear.find((field) => Object.hasOwn(values, field));
  if (both !== undefined) throw new UsageError(`${both} is both set and cleared.`, "give only one of them");
  if (Object.keys(values).length + clear.length === 0)
    throw new UsageError("Nothing to change: no field was given.", hint);
}

export function printEdit(command: SvcmCommand, response: DocumentEditResponse, done: string): void {
  const { changed, changes, created, dryRun, file, issues } = response;
  if (command.jsonEnabled()) return;
  if (!changed) command.log(`No change in ${file}.`);
  else if (dryRun) command.log(renderDryRun({ fileName: file, changes }));
  else command.log(`${done}${created ? ", which is new" : ""}${fieldLines(response)}`);
  for (const { path, message } of issues) command.log(`Unchanged: ${entryPlace(path)}${message}`);
}

function entryPlace([section = "", index]: readonly (string | number)[]): string {
  return typeof index === "number" ? `${section}[${index}]: ` : "";
}

function fieldLines({ entry, previous, keys, defaults }: DocumentEditResponse): string {
  if (!entry) return "";
  const lines = keys.map((key) => {
    const [now, before] = [fieldText(entry, key), previous && fieldText(previous, key)];
    const notes = [...(defaults.includes(key) ? ["default"] : []), ...(before === undefined ? [] : [`was ${before}`])];
    return `  ${key}: ${now ?? "cleared"}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
  });
  return [":", ...lines].join("\n");
}

function fieldText(entry: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = valueAt(entry, key);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueAt(entry: Readonly<Record<string, unknown>>, key: string): unknown {
  let value: unknown = entry;
  for (const step of key in entry ? [key] : key.split("."))
    value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}

type Values = Readonly<Record<string, string>>;

/** Each question offers only values that fit the previous answers. */
async function promptForMissingValues(
  command: SvcmCommand,
  flags: { readonly file: string },
  section: "interfaces" | "deployments",
  provided: Values,
): Promise<Values> {
  if (!canPrompt(command)) return provided;
  const nextQuestion = (values: Values) =>
    command.execute(entryQuestion, { file: flags.file, section, values: { ...values } });
  const { isIncomplete, issues } = await nextQuestion(provided);
  // The operation refuses invalid flags, so svcm does not ask first.
  if (!isIncomplete || issues.length > 0) return provided;
  return withPrompter(command, (prompter) => interview(command, prompter, nextQuestion, provided));
}

async function interview(
  command: SvcmCommand,
  prompter: Prompter,
  nextQuestion: (values: Values) => Promise<EntryQuestion>,
  provided: Values,
): Promise<Values> {
  let values = provided;
  let { question } = await nextQuestion(values);
  while (question) {
    const { field, accepted, default: defaultValue = "", isOptional } = question;
    const answer = resolveChoice((await prompter.ask(promptText(question), accepted)) || defaultValue, accepted);
    if (answer === "" && !isOptional) {
      command.log(
        `  A value is required: ${accepted === undefined ? "any text" : "a number or a word from the list"}. Press Ctrl-C to cancel without a change.`,
      );
      continue;
    }
    const next = { ...values, [field]: answer };
    const reply = await nextQuestion(next);
    const fieldIssues = reply.issues.filter(({ path }) => path[0] === field);
    for (const issue of fieldIssues) command.log(`  ${issue.message}${suggestionText(issue)}`);
    if (fieldIssues.length > 0) continue;
    values = next;
    question = reply.question;
  }
  return Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== "" || field in provided));
}

function resolveChoice(typed: string, accepted: readonly string[] = []): string {
  return accepted.includes(typed) ? typed : (accepted[Number(typed) - 1] ?? typed);
}

function promptText({
  label,
  accepted,
  default: defaultValue,
  isOptional,
}: NonNullable<EntryQuestion["question"]>): string {
  const choice = accepted === undefined ? "" : ` (${accepted.map((word, index) => `${index + 1} ${word}`).join(", ")})`;
  const empty = defaultValue === undefined ? (isOptional ? " [none]" : "") : ` [${defaultValue}]`;
  return `${label}${choice}${empty}: `;
}
