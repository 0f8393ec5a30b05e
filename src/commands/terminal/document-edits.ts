/** What the commands that edit the deployments document have in common: how they ask, and how they tell what changed. */
import type { Field, Operation, DocumentEditResponse } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { ask } from "./ask.ts";
import { renderPlan } from "./changes.ts";
import { namingFlags } from "./entry-flags.ts";

/** Asks for an edit; a refusal names the flags. */
export async function askEdit<Input>(
  operation: Operation<Input, DocumentEditResponse>,
  flags: { readonly root?: string | undefined },
  input: Input,
  fields: readonly Field[],
  canClear = false,
): Promise<DocumentEditResponse> {
  try {
    return await ask(operation, flags, input);
  } catch (error) {
    throw namingFlags(error, fields, canClear);
  }
}

/** Tells what changed, or would. @param done what was done, where something was: `Added prod to deployments.yaml` */
export async function tellEdit(command: SvcmCommand, response: DocumentEditResponse, done: string): Promise<void> {
  const { changed, changes, created, dryRun, file, issues } = response;
  if (command.jsonEnabled()) return;
  if (!changed) command.log(`No change in ${file}.`);
  else if (dryRun) command.log(renderPlan({ fileName: file, changes }));
  else command.log(`${done}${created ? ", which is new" : ""}${fieldLines(response)}`);
  for (const { path, message } of issues) command.log(`Unchanged: ${placeOf(path)}${message}`);
}

/** The entry that an issue is about: its section says nothing new. */
function placeOf([section = "", index]: readonly (string | number)[]): string {
  return typeof index === "number" ? `${section}[${index}]: ` : "";
}

/** The fields with another value, each with what it says now and what it said before. */
function fieldLines({ entry, previous, keys, defaults }: DocumentEditResponse): string {
  if (!entry) return "";
  const lines = keys.map((key) => {
    const [now, before] = [shown(entry, key), previous && shown(previous, key)];
    const notes = [...(defaults.includes(key) ? ["default"] : []), ...(before === undefined ? [] : [`was ${before}`])];
    return `  ${key}: ${now ?? "cleared"}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
  });
  return [":", ...lines].join("\n");
}

function shown(entry: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = valueAt(entry, key);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueAt(entry: Readonly<Record<string, unknown>>, key: string): unknown {
  let value: unknown = entry;
  for (const step of key in entry ? [key] : key.split("."))
    value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}
