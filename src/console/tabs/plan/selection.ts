import type { Plan, PlanStep } from "../../../core/api/rollout.ts";

/** By app: true if the user has selected it, false if the user has deselected it. */
export type Selected = ReadonlyMap<string, boolean>;

/**
 * `step`: the plan changes it. `down`: the plan only starts it again, and one that fails returns the others. `held`: a user stopped it, and only a request that names it starts it. `unknown`: svcm
 * cannot tell whether it runs what is declared, and a restart ends the doubt.
 */
export interface Offer {
  readonly app: string;
  readonly kind: "step" | "down" | "held" | "unknown";
}

export function listOffers({ steps, held, unknown }: Plan): Offer[] {
  const ofApps = steps.filter((step) => step.do !== "save" && step.do !== "remove");
  const changed = ofApps.filter((step) => !isOnlyDown(step)).map(({ app }) => app);
  const stopped = held.filter(({ state }) => state === "stopped").map(({ name }) => name);
  const groups = [
    ["step", changed],
    ["down", ofApps.map(({ app }) => app)],
    ["held", stopped],
    ["unknown", unknown.map(({ app }) => app)],
  ] as const;
  const offers = groups.flatMap(([kind, apps]) => apps.map((app) => ({ app, kind })));
  return offers.filter(({ app }, at) => offers.findIndex((one) => one.app === app) === at);
}

function isOnlyDown({ why = [] }: Partial<Pick<PlanStep, "why">>): boolean {
  return why.length > 0 && why.every(({ state }) => state === "failing" || state === "stopped");
}

/** True for what an apply of the whole plan does. */
function isOfPlan({ kind }: Offer): boolean {
  return kind === "step" || kind === "down";
}

export function isSelected({ app, kind }: Offer, selected: Selected): boolean {
  return selected.get(app) ?? kind === "step";
}

/** The choices of the plan for the selected apps; `undefined` if that is the whole plan. */
export function requestOf(plan: Plan, selected: Selected): Pick<Plan["choices"], "apps" | "restart"> | undefined {
  const offers = listOffers(plan);
  const chosen = offers.filter((offer) => isSelected(offer, selected));
  const restart = chosen.filter(({ kind }) => kind === "unknown").map(({ app }) => app);
  const isWhole = offers.every((offer) => isSelected(offer, selected) === isOfPlan(offer));
  if (isWhole) return undefined;
  // Without `apps`, a plan has the steps of all apps that differ, and of none that is held.
  const isLimited = offers.some((offer) => isSelected(offer, selected) !== isOfPlan(offer) && offer.kind !== "unknown");
  return {
    ...(isLimited && { apps: chosen.map(({ app }) => app) }),
    ...(restart.length > 0 && { restart }),
  };
}

export function isPartial({ choices }: Pick<Plan, "choices">): boolean {
  return choices.apps !== undefined || choices.restart !== undefined;
}

/** The user can accept that running apps move to this environment, or to this checkout. */
type Switch = "switchEnvironment" | "switchCheckout";

export type Accepted = Readonly<Partial<Record<Switch, true>>>;

const switches: Readonly<Record<string, readonly [Switch, question: string] | undefined>> = {
  ENVIRONMENT_SWITCH: ["switchEnvironment", "Move the running apps to this environment."],
  CHECKOUT_SWITCH: ["switchCheckout", "Take over the running apps from the other checkout."],
};

/** Without the words for a terminal. */
export function switchesOf({ issues }: Pick<Plan, "issues">) {
  return issues.flatMap(({ code, message }) => {
    const [choice, question] = switches[code] ?? [];
    return choice ? [{ choice, text: `${question} ${message.replace(/ To (?:switch|take over): .*/, "")}` }] : [];
  });
}

/** Errors that an apply would refuse, whatever the user accepts. */
export function refusalsOf({ issues }: Pick<Plan, "issues">): Plan["issues"] {
  return issues.filter(({ severity, code }) => severity === "error" && switches[code] === undefined);
}
