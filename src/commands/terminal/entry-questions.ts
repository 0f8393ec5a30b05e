import { suiteQuestion } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { ask } from "./ask.ts";
import { type FieldNames, flagOf } from "./entry-flags.ts";
import { canAsk, type Prompter, withPrompter } from "./prompt.ts";

interface Asked {
  readonly root?: string | undefined;
  readonly file: string;
}

interface About {
  readonly section: "interfaces" | "deployments";
  readonly fields: FieldNames;
}

type Values = Readonly<Record<string, string>>;

/**
 * The given values, and at a terminal what is still needed of an entry: asked one field after the
 * other, each with what the matrix accepts after the answers so far.
 */
export async function completed(command: SvcmCommand, flags: Asked, about: About, given: Values): Promise<Values> {
  if (!canAsk(command)) return given;
  const { isIncomplete, issues } = await ask(suiteQuestion, flags, { ...inputOf(flags, about), values: { ...given } });
  // What the flags say wrongly, the gate tells at once.
  if (!isIncomplete || issues.length > 0) return given;
  return withPrompter(command, (prompter) => interview(command, prompter, flags, about, given));
}

async function interview(
  command: SvcmCommand,
  prompter: Prompter,
  flags: Asked,
  about: About,
  given: Values,
): Promise<Values> {
  const asking = (values: Values) => ask(suiteQuestion, flags, { ...inputOf(flags, about), values: { ...values } });
  let values = given;
  let { question } = await asking(values);
  while (question) {
    const { field, accepted, default: usual = "", isOptional } = question;
    const answer = chosen((await prompter.ask(wordsOf(about.fields, question), accepted)) || usual, accepted);
    if (answer === "" && !isOptional) {
      command.log(`  A value is required: ${kindOf(accepted)}. Press Ctrl-C to cancel without a change.`);
      continue;
    }
    const next = { ...values, [field]: answer };
    const told = await asking(next);
    const wrong = told.issues.filter(({ path }) => path[0] === field);
    for (const { message, suggestion } of wrong)
      command.log(`  ${message}${suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`}`);
    if (wrong.length > 0) continue;
    values = next;
    question = told.question;
  }
  return Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== "" || field in given));
}

/** A word of the list, also by its number in it. */
function chosen(typed: string, accepted: readonly string[] = []): string {
  return accepted.includes(typed) ? typed : (accepted[Number(typed) - 1] ?? typed);
}

function kindOf(accepted: readonly string[] | undefined): string {
  return accepted === undefined ? "any text" : "a number or a word from the list";
}

function inputOf({ file }: Asked, { section }: About) {
  return { file, section };
}

function wordsOf(
  fields: FieldNames,
  {
    field,
    accepted,
    default: usual,
    isOptional,
  }: { field: string; accepted?: readonly string[]; default?: string; isOptional: boolean },
): string {
  const label = (flagOf(fields, field) ?? field)
    .replaceAll("-", " ")
    .replace("key value", "key-value")
    .replace("pm2", "PM2");
  const choice = accepted === undefined ? "" : ` (${accepted.map((word, index) => `${index + 1} ${word}`).join(", ")})`;
  const empty = usual === undefined ? (isOptional ? " [none]" : "") : ` [${usual}]`;
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}${choice}${empty}: `;
}
