import type { PlanStep } from "../api/rollout.ts";
import type { ComparisonInput } from "./compare.ts";
import type { DecidedStep } from "./step.ts";
import type { ExpectedApp } from "./expected.ts";
import { LISTEN_TIMEOUT_MS } from "../pm2/settings.ts";

type Note = PlanStep["notes"][number];

export function withNotes(
  step: DecidedStep,
  { expected, running, left = {} }: ComparisonInput,
  preflighted: ReadonlySet<string>,
): DecidedStep[] {
  const app = expected.find(({ name }) => name === step.app);
  if (app === undefined || !STARTS.has(step.do)) return [step];
  const isTried = preflighted.has(app.name) && MAKES_NEW.has(step.do);
  const canTry = typeof app.probe?.portKey === "string";
  const boot = bootOf(app, step, left[app.name]?.bootMs);
  const notes = [
    ...processNotes(app, step, boot),
    ...fileNotes(step, left[app.name]),
    ...(app.probe === undefined ? (["NO_PROBE"] as const) : []),
    ...(isTried && !canTry ? (["PREFLIGHT_IMPOSSIBLE"] as const) : []),
  ];
  const trial: DecidedStep = { do: "preflight", app: app.name, pmIds: [], disruption: "none", why: [], notes: [] };
  return [...(isTried && canTry ? [trial] : []), { ...step, ...disruptionOf(running, app, boot), notes }];
}

type Boot = "in time" | "late" | "cut";

/** After the time that PM2 waits for an app, a reload ends the old run. */
function bootOf({ execMode, settings }: ExpectedApp, { do: kind, method }: DecidedStep, bootMs = 0): Boot {
  const timeoutMs = Number(settings.listenTimeout ?? LISTEN_TIMEOUT_MS);
  const isAwaited = execMode === "cluster" || settings.waitReady === true;
  if (!isAwaited || bootMs <= timeoutMs * 0.8) return "in time";
  return kind === "update" && method === "reload" && bootMs > timeoutMs ? "cut" : "late";
}

function disruptionOf(
  running: ComparisonInput["running"],
  { name }: ExpectedApp,
  boot: Boot,
): Partial<Pick<DecidedStep, "disruption">> {
  if (boot !== "cut") return {};
  return { disruption: running.filter((one) => one.name === name).length > 1 ? "partial" : "gap" };
}

const STARTS: ReadonlySet<DecidedStep["do"]> = new Set(["start", "resume", "update", "scale", "replace"]);
const MAKES_NEW: ReadonlySet<DecidedStep["do"]> = new Set(["start", "update", "replace"]);

function processNotes(app: ExpectedApp, { do: kind, disruption, why }: DecidedStep, boot: Boot): Note[] {
  const isNode = /(?:^|\/)node$/.test(app.interpreter);
  const isIgnored = app.execMode === "cluster" && app.interpreter !== "node" && why.length > 0;
  return [
    ...(kind === "update" && disruption === "gap" && app.execMode === "fork" && isNode
      ? (["GAP_BY_FORK"] as const)
      : []),
    ...(isIgnored ? (["INTERPRETER_IGNORED_IN_CLUSTER"] as const) : []),
    ...(boot === "in time" ? [] : (["LISTEN_TIMEOUT_SHORT"] as const)),
  ];
}

/** A rollback restores an env file of which svcm has a copy, but never code. */
function fileNotes(
  { do: kind, why }: DecidedStep,
  left: NonNullable<ComparisonInput["left"]>[string] | undefined,
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
