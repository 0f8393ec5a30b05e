import { groupBy, ownMember } from "../words/record.ts";
import { placeInRelease } from "../project/state-place.ts";
import type { Plan, PlanStep } from "../api/rollout.ts";
import type { ComparisonInput } from "./compare.ts";
import type { DecidedStep } from "./step.ts";
import type { ExpectContext, ExpectedApp } from "./expected.ts";
import { hasReadCopies } from "./release.ts";
import { listenTimeoutMs } from "../pm2/settings.ts";
import { WRAPPERS } from "../pm2/rules/scripts.ts";
import { isInstalled } from "../running/code-evidence.ts";
import { isStopped } from "../running/state.ts";
import type { Issue } from "../api/issue.ts";
import { severalText, leftOverText, type Survivor } from "../pm2/daemon-traces.ts";
import type { Uncommitted } from "../running/port-running-code.ts";
import { declarationRefusal } from "./control/refusals.ts";
import { declarationsOf } from "../pm2/declared.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { type BlockingIssue, blockingIssues } from "../pm2/rules/index.ts";
import { checkedApps } from "../pm2/rules/rule.ts";

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

/** Two apps that both run already do not collide, whatever their variables say. */
export function listConflicts(
  content: EcosystemContent,
  running: readonly ProcessRecord[],
  cpuCores: number,
): Pick<BlockingIssue, "apps" | "issue">[] {
  if (content.loaded === undefined) return [];
  const online = new Set(running.flatMap(({ name, pid, status }) => (pid && status === "online" ? [name] : [])));
  const ecosystem = { file: content, listed: content.listed, cpuCores, apps: checkedApps(content, cpuCores) };
  return blockingIssues(ecosystem).map(({ apps, issue, isAcceptedOnceRunning }) => {
    const isAccepted = isAcceptedOnceRunning && apps.every((name) => online.has(name));
    return { apps, issue: isAccepted ? { ...issue, severity: "warning" } : issue };
  });
}

export function listRefusals(
  { loaded, path }: EcosystemContent,
  expected: readonly ExpectedApp[],
  expecting: ExpectContext,
  root: string,
): Map<string, Issue> {
  if (loaded === undefined) return new Map();
  const declarationOf = declarationsOf(loaded, expecting);
  return new Map(
    [...new Set(expected.map(({ name }) => name))].flatMap((name): [string, Issue][] => {
      const error = declarationRefusal(declarationOf(name), { path, root });
      if (error?.body.code === undefined) return [];
      const { code, details = error.message } = error.body;
      return [[name, { code, severity: "error", path: ["apps", name], message: details }]];
    }),
  );
}

export function deadDaemon(message: string | undefined): Issue[] {
  return message === undefined ? [] : [{ code: "DAEMON_DEAD", severity: "warning", path: ["daemon"], message }];
}

/** A start would run an app twice, and "nothing to do" would be half of the truth. */
export function lostDaemonIssues(pids: readonly number[] = []): Issue[] {
  return pids.length === 0
    ? []
    : [{ code: "DAEMON_SEVERAL", severity: "error", path: ["daemon"], message: severalText(pids) }];
}

/** Of the declared apps. */
export function survivorIssues(
  survivors: readonly Survivor[] = [],
  { expected, running }: Pick<ComparisonInput, "expected" | "running">,
  steps: readonly DecidedStep[],
): Issue[] {
  const declared = new Set(expected.map(({ name }) => name));
  const started = new Set(steps.flatMap((step) => (step.do === "start" || step.do === "resume" ? [step.app] : [])));
  const own = survivors.filter(({ name }) => declared.has(name));
  return [...groupBy(own, ({ name }) => name)].map(([name, ones]): Issue => {
    const isListed = running.some((one) => one.name === name && !isStopped(one));
    return {
      code: "PROCESS_LEFT_OVER",
      severity: started.has(name) ? "error" : "warning",
      path: ["apps", name],
      message: leftOverText(ones, isListed ? "listed" : "absent"),
    };
  });
}

export function unknownChanges(git: Plan["git"], { problem }: Uncommitted): Issue[] {
  if (git === null || problem === null) return [];
  const message = `it is not known whether the code of the started apps is that of ${git.commit.slice(0, 10)}: ${problem}`;
  return [{ code: "WORKTREE_UNKNOWN", severity: "warning", path: ["git"], message }];
}
