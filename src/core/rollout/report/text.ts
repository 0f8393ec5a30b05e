import type { Plan, PlanStep } from "../../api/rollout.ts";
import { toOneLine, codeSpan, severityText, type Paint } from "../../findings/text.ts";
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
  unknownTexts,
} from "./words.ts";

const MAX_VALUE_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 400;

/** The caller wraps long lines at their indent. */
export function renderPlanText(plan: Plan, paint: Paint): string {
  const { environment, steps, unchanged, unknown, undeclared, held, leftOut, issues } = plan;
  const count = countSteps(plan);
  const { own, shared } = partNotes(steps.filter((step) => step.do !== "save"));
  const save = steps.flatMap(saveLines);
  const others = [
    ...held.map((one) => `  ${paint.yellow(`! ${heldText(one, quote)}`)}`),
    ...leftOut.map((one) => `  ${paint.yellow(`! ${leftOutText(one, quote)}`)}`),
    ...unknownTexts(unknown, quote).map((one) => `  ${paint.yellow(`? ${one}`)}`),
    ...undeclared.map((one) => `  ${paint.dim(`? ${undeclaredText(one, quote)}`)}`),
    ...unchanged.map((name) => `  ${paint.dim(`= ${quote(name)}`)}`),
  ];
  return [
    `${paint.bold(`${quote(environment)}: ${count}.`)}\n  ${subjectText(plan, quote)}`,
    [...own.flatMap((one) => stepLines(one, paint)), ...shared.map((one) => `  ${paint.dim(sharedText(one))}`)].join(
      "\n",
    ),
    [...others, ...save].join("\n"),
    issues.map((issue) => issueText(issue, paint)).join("\n"),
    plan.id === null ? "" : `Plan ${plan.id}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function issueText(issue: Plan["issues"][number], paint: Paint): string {
  return `${severityText(issue, paint)} ${quote(issue.message, MAX_MESSAGE_LENGTH)} ${paint.dim(`[${issue.code}]`)}`;
}

function sharedText([note, apps]: ReturnType<typeof partNotes>["shared"][number]): string {
  return `${apps.map((app) => quote(app)).join(", ")}: ${NOTES[note]}`;
}

function stepLines({ step, notes }: ReturnType<typeof partNotes>["own"][number], paint: Paint): string[] {
  const [sign, colour] = signOf(step, paint);
  return [
    `  ${colour(`${sign} ${quote(step.app)}`)}: ${stepText(step)}`,
    ...reasonTexts(step, quote).map((line) => `      ${line}`),
    ...notes.map((note) => `      ${paint.dim(NOTES[note])}`),
  ];
}

function saveLines({ do: kind, notes }: PlanStep): string[] {
  if (kind !== "save") return [];
  return ["  then PM2's list is saved for the next boot", ...notes.map((note) => `      ${NOTES[note]}`)];
}

function signOf({ do: kind, disruption }: PlanStep, { green, red, yellow }: Paint): readonly [string, Paint["red"]] {
  if (kind === "start" || kind === "resume" || kind === "register") return ["+", green];
  if (kind === "remove") return ["-", red];
  if (kind === "preflight") return ["?", green];
  return ["~", disruption === "none" ? green : yellow];
}

function quote(text: string, limit = MAX_VALUE_LENGTH): string {
  return toOneLine(text, limit);
}

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
      ...unknownTexts(unknown, codeSpan).map((one) => `- ${one}`),
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
