import { ownMember } from "../words/record.ts";
import { placeInRelease } from "../project/state-place.ts";
import type { PlanStep } from "../api/rollout.ts";
import type { ComparisonInput } from "./compare.ts";
import type { DecidedStep } from "./step.ts";
import type { ExpectedApp } from "./expected.ts";
import { hasReadCopies } from "./release.ts";
import { listenTimeoutMs } from "../pm2/settings.ts";
import { WRAPPERS } from "../pm2/rules/scripts.ts";
import { isInstalled } from "../running/code-evidence.ts";
import { isStopped } from "../running/state.ts";

type Note = PlanStep["notes"][number];

export function addNotes(
  step: DecidedStep,
  { expected, running, appliedApps = {} }: ComparisonInput,
  preflighted: ReadonlySet<string>,
): DecidedStep[] {
  const app = expected.find(({ name }) => name === step.app);
  if (app === undefined || !STARTING_STEPS.has(step.do)) return [step];
  const hasPreflight = preflighted.has(app.name) && PREFLIGHTED_STEPS.has(step.do);
  const canPreflight = typeof app.probe?.portKey === "string";
  const boot = judgeBoot(app, step, ownMember(appliedApps, app.name)?.bootMs);
  const notes = [
    ...processNotes(app, step, boot),
    ...fileNotes(
      step,
      ownMember(appliedApps, app.name),
      running.filter(({ name, pid }) => name === app.name && pid !== null),
    ),
    ...(app.probe === undefined ? (["NO_PROBE"] as const) : []),
    ...(hasPreflight && !canPreflight ? (["PREFLIGHT_IMPOSSIBLE"] as const) : []),
  ];
  const trial: DecidedStep = { do: "preflight", app: app.name, pmIds: [], disruption: "none", why: [], notes: [] };
  return [
    ...(hasPreflight && canPreflight ? [trial] : []),
    { ...step, ...reloadDisruption(running, app, step, boot), ...portMove(step, app, running), notes },
  ];
}

type BootVerdict = "in time" | "late" | "cut";

/** After the time that PM2 waits for an app, a reload ends the old run. */
function judgeBoot({ execMode, settings }: ExpectedApp, { do: kind, method }: DecidedStep, bootMs = 0): BootVerdict {
  const timeoutMs = listenTimeoutMs(settings);
  const isAwaited = execMode === "cluster" || settings.waitReady === true;
  if (!isAwaited || bootMs <= timeoutMs * 0.8) return "in time";
  return kind === "update" && method === "reload" && bootMs > timeoutMs ? "cut" : "late";
}

function reloadDisruption(
  running: ComparisonInput["running"],
  { name, script }: ExpectedApp,
  { method }: DecidedStep,
  boot: BootVerdict,
): Partial<Pick<DecidedStep, "disruption">> {
  if (boot !== "cut" && (method !== "reload" || !WRAPPERS.test(script))) return {};
  return { disruption: running.filter((one) => one.name === name).length > 1 ? "partial" : "gap" };
}

/** The former port has no listener after any such step. */
function portMove(
  { do: kind, pmIds }: DecidedStep,
  app: ExpectedApp,
  running: ComparisonInput["running"],
): Partial<Pick<DecidedStep, "port" | "disruption">> {
  if (kind !== "update" && kind !== "replace") return {};
  const ports = running
    .filter((record) => pmIds.includes(record.pmId) && !isStopped(record))
    .flatMap(({ httpPort, port }) => [
      [httpPort, app.httpPort],
      [port, app.port],
    ]);
  const [from, to] = ports.find(([before, after]) => before && after && before !== after) ?? [];
  return from && to ? { port: { from, to }, disruption: "down" } : {};
}

const STARTING_STEPS: ReadonlySet<DecidedStep["do"]> = new Set(["start", "resume", "update", "scale", "replace"]);
const PREFLIGHTED_STEPS: ReadonlySet<DecidedStep["do"]> = new Set(["start", "update", "replace"]);

const SOURCE = /\.[cm]?[jt]sx?$/;

function processNotes(app: ExpectedApp, { do: kind, disruption, why }: DecidedStep, boot: BootVerdict): Note[] {
  // npm and other programs cannot be workers of a cluster.
  const isNode = /(?:^|\/)node$/.test(app.interpreter) && !isInstalled(app.script) && SOURCE.test(app.script);
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
  applied: NonNullable<ComparisonInput["appliedApps"]>[string] | undefined,
  live: ComparisonInput["running"],
): Note[] {
  const stale = why.filter(({ state }) => state === "stale");
  const isUnknown =
    stale.some(
      ({ field, declared }) =>
        field === "envFile" &&
        applied?.envFiles.some(({ path }) => placeInRelease(path) === placeInRelease(String(declared))) !== true,
    ) ||
    // Files changed since the start, and the copies are of an earlier one.
    (why.some(({ field }) => field === "envFile" || field === "values") &&
      (applied === undefined || applied.envFiles.length === 0 || !hasReadCopies(applied, live)));
  const isPinned =
    applied?.pinnedBy !== undefined && kind === "update" && why.some(({ field }) => field === "interpreterArgs");
  const isCodeGone = why.some(({ field, state }) => field === "code" && (state === "stale" || state === "absent"));
  return [
    ...(isCodeGone ? (["CODE_NOT_RESTORABLE"] as const) : []),
    // It has read the copies themselves.
    ...(isUnknown && !isPinned ? (["ENV_FILE_UNKNOWN_BEFORE"] as const) : []),
    ...(isPinned ? (["PINNED"] as const) : []),
  ];
}
