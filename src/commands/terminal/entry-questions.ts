import { entryQuestion, suggestionText, type EntryQuestion } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { canAsk, type Prompter, withPrompter } from "./prompt.ts";

interface Asked {
  readonly file: string;
}

type Section = "interfaces" | "deployments";
type Values = Readonly<Record<string, string>>;

/** Each question offers only values that fit the previous answers. */
export async function completed(command: SvcmCommand, flags: Asked, section: Section, given: Values): Promise<Values> {
  if (!canAsk(command)) return given;
  const asking = (values: Values) =>
    command.execute(entryQuestion, { file: flags.file, section, values: { ...values } });
  const { isIncomplete, issues } = await asking(given);
  // The operation refuses invalid flags, so svcm does not ask first.
  if (!isIncomplete || issues.length > 0) return given;
  return withPrompter(command, (prompter) => interview(command, prompter, asking, given));
}

async function interview(
  command: SvcmCommand,
  prompter: Prompter,
  asking: (values: Values) => Promise<EntryQuestion>,
  given: Values,
): Promise<Values> {
  let values = given;
  let { question } = await asking(values);
  while (question) {
    const { field, accepted, default: usual = "", isOptional } = question;
    const answer = chosen((await prompter.ask(promptOf(question), accepted)) || usual, accepted);
    if (answer === "" && !isOptional) {
      command.log(`  A value is required: ${acceptedForm(accepted)}. Press Ctrl-C to cancel without a change.`);
      continue;
    }
    const next = { ...values, [field]: answer };
    const reply = await asking(next);
    const wrong = reply.issues.filter(({ path }) => path[0] === field);
    for (const issue of wrong) command.log(`  ${issue.message}${suggestionText(issue)}`);
    if (wrong.length > 0) continue;
    values = next;
    question = reply.question;
  }
  return Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== "" || field in given));
}

function chosen(typed: string, accepted: readonly string[] = []): string {
  return accepted.includes(typed) ? typed : (accepted[Number(typed) - 1] ?? typed);
}

function acceptedForm(accepted: readonly string[] | undefined): string {
  return accepted === undefined ? "any text" : "a number or a word from the list";
}

function promptOf({ label, accepted, default: usual, isOptional }: NonNullable<EntryQuestion["question"]>): string {
  const choice = accepted === undefined ? "" : ` (${accepted.map((word, index) => `${index + 1} ${word}`).join(", ")})`;
  const empty = usual === undefined ? (isOptional ? " [none]" : "") : ` [${usual}]`;
  return `${label}${choice}${empty}: `;
}
