/** Names the differences between a plan that a user read and the present one. */
import { SvcmError } from "../../api/errors.ts";
import type { Plan } from "../../api/rollout.ts";
import { toOneLine } from "../../findings/text.ts";
import { nameList } from "../../words/text.ts";
import { heldText, reasonTexts, stepText } from "./words.ts";

/** Only the caller has the plan that was read; the refusal has the present one. */
export function withChanges(error: unknown, before: Plan | undefined): unknown {
  const isStale = error instanceof SvcmError && error.kind === "PLAN_STALE";
  if (!isStale || error.body.plan === undefined || before === undefined) return error;
  const { plan } = error.body;
  const changes = planChanges(before, plan);
  const hidden =
    "what differs is in no plan: a value, the time of an env file, a process that was started again, or code";
  const details =
    changes.length === 0
      ? `The plan ${before.id} is out of date. It shows the same as the plan now, ${plan.id}, so ${hidden}.`
      : [`The plan ${before.id} is out of date; it is ${plan.id} now:`, ...changes.map((line) => `  ${line}`)].join(
          "\n",
        );
  return new SvcmError(error.kind, { ...error.body, details });
}

/** In place of an app. */
const SAVED = "the list of PM2";

export function planChanges(before: Plan, now: Plan): string[] {
  const apps = new Set([before, now].flatMap((plan) => [...factsByApp(plan).keys()]));
  apps.delete(SAVED);
  const changes = [
    ...commitChange(before, now),
    ...fileChanges(before, now),
    ...[...apps].flatMap((app) => appChange(app, before, now)),
    ...issueChanges(before, now),
  ];
  // A save follows from the other steps.
  return changes.length > 0 ? changes : appChange(SAVED, before, now);
}

function commitChange({ git: before }: Plan, { git: now }: Plan): string[] {
  const [from, to] = [before, now].map((git) => git?.commit.slice(0, 10) ?? "none");
  return from === to ? [] : [`commit: ${from} to ${to}`];
}

function fileChanges(before: Plan, now: Plan): string[] {
  const [was, is] = [before.git?.dirty ?? [], now.git?.dirty ?? []];
  const [more, less] = [without(is, was), without(was, is)].map((paths) => nameList(paths.map(quote)));
  return [
    ...(before.path === now.path ? [] : [`ecosystem file: ${quote(before.path)} to ${quote(now.path)}`]),
    ...(more === "" ? [] : [`now different from the commit: ${more}`]),
    ...(less === "" ? [] : [`no longer different from the commit: ${less}`]),
  ];
}

function appChange(app: string, before: Plan, now: Plan): string[] {
  const [was, is] = [before, now].map((plan) => factsByApp(plan).get(app) ?? ["not in the plan"]);
  const [gone, come] = [without(was ?? [], is ?? []), without(is ?? [], was ?? [])];
  if (gone.length === 0 && come.length === 0) return [];
  const parts = [
    come.length === 0 ? "" : `now ${come.join(", ")}`,
    gone.length === 0 ? "" : `before ${gone.join(", ")}`,
  ];
  return [`${quote(app)}: ${parts.filter(Boolean).join("; ")}`];
}

function factsByApp({ steps, unchanged, unknown, held, undeclared, leftOut }: Plan): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  const add = (app: string, ...texts: readonly string[]): void =>
    void facts.set(app, [...(facts.get(app) ?? []), ...texts]);
  for (const step of steps)
    if (step.do === "save") add(SAVED, "to save");
    else add(step.app, stepText(step), ...reasonTexts(step, quote));
  for (const app of unchanged) add(app, "as declared");
  for (const { app, part, reason } of unknown) add(app, `unknown ${part}: ${quote(reason)}`);
  for (const one of held) add(one.name, heldText(one, quote));
  for (const { name } of undeclared) add(name, "not declared");
  for (const { name } of leftOut) add(name, "left out");
  return facts;
}

function issueChanges(before: Plan, now: Plan): string[] {
  const [was, is] = [before, now].map(({ issues }) => issues.map(({ code, message }) => `${code}: ${quote(message)}`));
  const [gone, come] = [without(was ?? [], is ?? []), without(is ?? [], was ?? [])];
  return [...come.map((text) => `now ${text}`), ...gone.map((text) => `no longer ${text}`)];
}

function without(texts: readonly string[], others: readonly string[]): string[] {
  return texts.filter((text) => !others.includes(text));
}

const MAX_LENGTH = 200;

function quote(text: string): string {
  return toOneLine(text, MAX_LENGTH);
}
