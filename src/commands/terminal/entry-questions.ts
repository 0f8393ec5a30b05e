import { entryQuestion, suggestionText, type EntryQuestion } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { canPrompt, type Prompter, withPrompter } from "./prompt.ts";
type Values = Readonly<Record<string, string>>;

/** Each question offers only values that fit the previous answers. */
export async function promptForMissingValues(
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
