import type { Plan } from "../../api/rollout.ts";
import { codeSpan } from "../../findings/quote.ts";
import {
  countSteps,
  heldText,
  leftOutText,
  NOTES,
  partNotes,
  reasonTexts,
  stepText,
  subjectText,
  undeclaredText,
  unknownText,
} from "./words.ts";

/** GitHub limits a comment to 65,536 characters, and the plan may follow a diff. */
const MAX_LENGTH = 30_000;

const MARKS = { error: "Error", warning: "Warning" } as const;

/** In code spans on one line, markup, HTML, mentions and references have no effect. */
export function renderPlanMarkdown(plan: Plan): string {
  const { environment, steps, unknown, undeclared, held, leftOut, issues } = plan;
  const { own, shared } = partNotes(steps.filter((step) => step.do !== "save"));
  const items = [
    ...own.map(stepItem),
    ...shared.map(([note, apps]) => `- ${apps.map((app) => codeSpan(app)).join(", ")}: ${NOTES[note]}`),
  ];
  return [
    `### Plan for ${codeSpan(environment)}: ${countSteps(plan)}`,
    `From ${subjectText(plan, codeSpan)}.`,
    joinFitting(items),
    [
      ...held.map((one) => `- ${heldText(one, codeSpan)}`),
      ...leftOut.map((one) => `- ${leftOutText(one, codeSpan)}`),
      ...unknown.map((one) => `- ${unknownText(one, codeSpan)}`),
      ...undeclared.map((one) => `- ${undeclaredText(one, codeSpan)}`),
    ].join("\n"),
    issues
      .map(({ severity, code, message }) => `- **${MARKS[severity]}** ${codeSpan(message, 400)} (${codeSpan(code)})`)
      .join("\n"),
    ...(plan.id === null ? [] : [`Plan ${codeSpan(plan.id)}.`]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function stepItem({ step, notes }: ReturnType<typeof partNotes>["own"][number]): string {
  return [
    `- ${codeSpan(step.app)}: ${stepText(step)}`,
    ...reasonTexts(step, codeSpan).map((line) => `  - ${line}`),
    ...notes.map((note) => `  - ${NOTES[note]}`),
  ].join("\n");
}

function joinFitting(items: readonly string[]): string {
  let remaining = MAX_LENGTH;
  const fitting = items.filter((item) => (remaining -= item.length + 1) >= 0);
  const more = items.length - fitting.length;
  return [...fitting, ...(more > 0 ? [`- and ${more} more; \`svcm plan\` shows them`] : [])].join("\n");
}
