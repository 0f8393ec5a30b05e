import type { PlanStep } from "../api/rollout.ts";
import type { ComparedFacts } from "./compare.ts";
import type { DecidedStep } from "./step.ts";
import type { ExpectedApp } from "./expected.ts";

type Note = PlanStep["notes"][number];

/** A step with the facts that a reader should know, and before it the preflight of its app. */
export function withNotes(
  step: DecidedStep,
  { expected, left = {} }: ComparedFacts,
  preflighted: ReadonlySet<string>,
): DecidedStep[] {
  const app = expected.find(({ name }) => name === step.app);
  if (app === undefined || !STARTS.has(step.do)) return [step];
  const isTried = preflighted.has(app.name) && MAKES_NEW.has(step.do);
  const canTry = typeof app.probe?.portKey === "string";
  const notes = [
    ...processNotes(app, step),
    ...fileNotes(step, left[app.name]),
    ...(app.probe === undefined ? (["NO_PROBE"] as const) : []),
    ...(isTried && !canTry ? (["PREFLIGHT_IMPOSSIBLE"] as const) : []),
  ];
  const trial: DecidedStep = { do: "preflight", app: app.name, pmIds: [], disruption: "none", why: [], notes: [] };
  return [...(isTried && canTry ? [trial] : []), { ...step, notes }];
}

const STARTS: ReadonlySet<DecidedStep["do"]> = new Set(["start", "resume", "update", "scale", "replace"]);
/** Steps after which another declaration runs. */
const MAKES_NEW: ReadonlySet<DecidedStep["do"]> = new Set(["start", "update", "replace"]);

function processNotes(app: ExpectedApp, { do: kind, disruption, why }: DecidedStep): Note[] {
  const isNode = /(?:^|\/)node$/.test(app.interpreter);
  const isIgnored = app.execMode === "cluster" && app.interpreter !== "node" && why.length > 0;
  return [
    ...(kind === "update" && disruption === "gap" && app.execMode === "fork" && isNode
      ? (["GAP_BY_FORK"] as const)
      : []),
    ...(isIgnored ? (["INTERPRETER_IGNORED_IN_CLUSTER"] as const) : []),
  ];
}

/** A rollback restores an env file of which svcm has a copy, and no code. */
function fileNotes(
  { do: kind, why }: DecidedStep,
  left: NonNullable<ComparedFacts["left"]>[string] | undefined,
): Note[] {
  const stale = why.filter(({ state }) => state === "stale");
  const isUnknown = stale.some(
    ({ field, declared }) => field === "envFile" && left?.envFiles.every(({ path }) => path !== declared) !== false,
  );
  const isPinned =
    left?.pinnedBy !== undefined && kind === "update" && why.some(({ field }) => field === "interpreterArgs");
  return [
    ...(stale.some(({ field }) => field === "script") ? (["CODE_NOT_RESTORABLE"] as const) : []),
    ...(isUnknown ? (["ENV_FILE_UNKNOWN_BEFORE"] as const) : []),
    ...(isPinned ? (["PINNED"] as const) : []),
  ];
}
