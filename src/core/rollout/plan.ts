import { type Issue, compareText } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import type { BlockingIssue } from "../pm2/rules/index.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ComparisonInput } from "./compare.ts";
import type { Decision } from "./decide.ts";
import { sharedPort } from "./expected.ts";
import { isPassingDoubt } from "../running/state.ts";
import { type DecidedStep, findFormerName, stepNames } from "./step.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import { FileError, type HasFiles } from "../files/ports.ts";
import type { InputOf } from "../api/inputs.ts";
import { documentPath } from "../deployments/file.ts";
import { SvcmError } from "../api/errors.ts";
import { ownMember, parseRecord } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";

export interface PlanContext extends Pick<
  Plan,
  "environment" | "fileName" | "path" | "exists" | "choices" | "git" | "pm2" | "from" | "leftOut"
> {
  /** Canonical, so that other names of the environment have the same plan. */
  readonly name: string;
  readonly refused: ReadonlyMap<string, Issue>;
  /** Findings of `svcm ecosystem check` about apps that would run otherwise than declared. */
  readonly conflicts: readonly Pick<BlockingIssue, "apps" | "issue">[];
  readonly undecided: readonly Issue[];
  readonly warnings: readonly Issue[];
  /** By app: the environment with whose values PM2 itself started it. */
  readonly startedAs?: ReadonlyMap<string, string> | undefined;
  /** Shown also if there is nothing to do. */
  readonly notes?: readonly Issue[];
  /** By app: changes with the code that is in place. */
  readonly code: readonly (readonly [app: string, fingerprint: string])[];
  /** Absent for a plan that cannot be applied. */
  readonly digest?: (text: string) => string;
}

/** The id changes with the steps and with every input of the computation. */
export function createPlan(
  input: ComparisonInput,
  { steps, unchanged, unknown, undeclared, held }: Decision,
  {
    name: environment,
    refused,
    undecided,
    conflicts,
    warnings,
    startedAs,
    notes = [],
    code,
    digest,
    ...context
  }: PlanContext,
): Plan {
  const touched = new Set(steps.flatMap(stepNames));
  const issues = stepIssues(input, steps, { ...context, environment, refused, undecided, conflicts, startedAs });
  const running = input.running.filter(({ name }) => touched.has(name)).map(definitionText);
  const envFiles = input.expected.flatMap((app) => (touched.has(app.name) ? app.envFiles : []));
  const edited = envFiles.map((path) => input.modifiedMs(path));
  // Not only of the touched apps: what is unchanged was judged, too.
  const inputs = {
    environment,
    declared: input.expected,
    edited,
    running,
    steps,
    unknown: unknown.filter(({ reason }) => !isPassingDoubt(reason)),
    issues,
    code,
    git: context.git,
  };
  return {
    id: digest === undefined ? null : shortId(digest(JSON.stringify(inputs))),
    ...context,
    changed: steps.length > 0,
    steps: steps.map((step) => ({ ...step, why: visibleReasons(step) })),
    unchanged,
    unknown,
    undeclared,
    held: held.map(({ why: _why, ...app }) => app),
    issues: [...issues, ...(steps.length === 0 ? [] : warnings), ...notes],
    summary: countByKind(steps),
  };
}

type IssueContext = Pick<PlanContext, "environment" | "refused" | "undecided" | "conflicts" | "startedAs" | "choices">;

/** Those of apps without a step are left to a check. */
function stepIssues(
  input: ComparisonInput,
  steps: Decision["steps"],
  { environment, refused, undecided, conflicts, startedAs, choices }: IssueContext,
): Issue[] {
  const touched = new Set(steps.flatMap(stepNames));
  const apps = steps.map(({ app }) => app);
  return [
    ...undecided,
    ...[...refused].flatMap(([app, issue]) => (touched.has(app) ? [withinDefinition(issue, app, steps)] : [])),
    ...conflicts.flatMap(({ apps: names, issue }) => (names.some((name) => touched.has(name)) ? [issue] : [])),
    ...portIssues(input, steps),
    ...environmentSwitch({ ...input, startedAs }, apps, environment),
    ...(choices.preflight === true ? preflightIssues(steps) : []),
  ];
}

/** An app that runs without the block already, and keeps its definition, loses nothing by a restart. */
function withinDefinition(issue: Issue, app: string, steps: Decision["steps"]): Issue {
  const own = steps.filter((step) => stepNames(step).includes(app));
  const isKept = own.every(({ do: kind, why }) => kind === "update" && why.every(keepsDefinition));
  return isKept && issue.code === "ECOSYSTEM_ENV_BLOCK_UNUSED" ? { ...issue, severity: "warning" } : issue;
}

function keepsDefinition({ field, state }: DecidedStep["why"][number]): boolean {
  return field === "code" || field === "values" || field === "envFile" || state === "requested" || state === "failing";
}

/** In an environment, PM2 sets a variable with the name of the app, so a rename removes the former one. */
function visibleReasons(step: DecidedStep): Plan["steps"][number]["why"] {
  const former = findFormerName(step);
  const visible = step.why.filter(({ field, key }) => field !== "env" || key !== former);
  return visible.map(({ pmIds: _ids, ...reason }) => reason);
}

/** A preflight by configuration is left out where it is impossible; a requested one is not. */
function preflightIssues(steps: readonly DecidedStep[]): Issue[] {
  const code = "PREFLIGHT_IMPOSSIBLE";
  const apps = new Set(steps.filter(({ notes }) => notes.includes(code)).map(({ app }) => app));
  return [...apps].map((app) => {
    const message = `${app} cannot have a preflight: no variable holds the port of a health probe of it, so it cannot start on a spare port. Name the variable in rollout.health of svcm.yaml or deployments.yaml, for example { ${app}: { port: PORT } }, or leave the app out with --app.`;
    return { code, severity: "error", path: ["apps", app], message };
  });
}

/** A restart of the process does not change it. */
export function definitionText(record: ProcessRecord): string {
  const { pmId, uniqueId, name, namespace, script, cwd, interpreter, execMode, watching, declaration } = record;
  const { environment, ...others } = declaration;
  const variables = Object.entries(environment)
    .filter(([key]) => !VOLATILE.test(key))
    .toSorted(([a], [b]) => compareText(a, b));
  const fields = [pmId, uniqueId, name, namespace, script, cwd, interpreter, execMode, watching, others, variables];
  return JSON.stringify(fields);
}

const VOLATILE = /^(?:PWD|OLDPWD|PM2_\w+|unique_id)$/;

/** `7f3a-9c21`, short enough to read out. */
export function shortId(digest: string): string {
  const hex = Array.from(digest.slice(0, 8), (letter) => (letter.charCodeAt(0) % 16).toString(16)).join("");
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
}

/** In fork mode the new process would crash. In cluster mode both apps would silently share the requests. */
function portIssues({ expected, running }: ComparisonInput, steps: Decision["steps"]): Issue[] {
  const removed = steps.filter((step) => step.do === "remove").map(({ app }) => app);
  const accounted = new Set([...expected.map(({ name }) => name), ...removed]);
  const started = new Set(steps.filter((step) => step.do === "start").map(({ app }) => app));
  return expected
    .filter(({ name }) => started.has(name))
    .flatMap((app): Issue[] => {
      const { name, script } = app;
      const holder = running.find(
        (one) =>
          !accounted.has(one.name) && one.pid !== null && one.script === script && sharedPort(app, one) !== undefined,
      );
      if (holder === undefined) return [];
      const message = `${name} would listen on port ${sharedPort(app, holder)}, which ${holder.name} (id ${holder.pmId}) uses with the same script, and no file declares that process. If the app was renamed, run: svcm delete --id ${holder.pmId}`;
      return [{ code: "APP_PORT_TAKEN", severity: "error", path: ["apps", name], message }];
    });
}

function countByKind(steps: readonly DecidedStep[]): Plan["summary"] {
  // An app may have two updates: one of the instances that do not stay up, and one of the others.
  const count = (kind: DecidedStep["do"]): number =>
    new Set(steps.filter((step) => step.do === kind).map(({ app }) => app)).size;
  return {
    register: count("register"),
    start: count("start"),
    resume: count("resume"),
    update: count("update"),
    scale: count("scale"),
    replace: count("replace"),
    remove: count("remove"),
  };
}

type PlanFileOptions = Pick<
  InputOf<"rollout.apply">,
  "environment" | "service" | "apps" | "prune" | "preflight" | "restart" | "plan"
>;

/** The file contains no values, and svcm never runs anything from it. @throws {SvcmError} INVALID_REQUEST */
export async function writePlanFile(ports: HasFiles & HasWorkspace, file: string, plan: Plan): Promise<void> {
  const path = documentPath(ports, file);
  const bytes = new TextEncoder().encode(`${JSON.stringify(plan, null, 2)}\n`);
  try {
    await ports.files.create(path, bytes, undefined, { mayBeOutside: true }).catch((error: unknown) => {
      if (!(error instanceof FileError) || error.code !== "EEXIST") throw error;
      return ports.files.replace(path, () => bytes, undefined, { mayBeOutside: true });
    });
  } catch (error) {
    throw fileRefused(error, path);
  }
}

/** Only the options and the id: an apply computes the plan again. */
export function optionsOfPlan({ environment, choices, id }: Plan): PlanFileOptions {
  const { apps, restart, ...others } = choices;
  return {
    environment,
    ...others,
    ...(apps !== undefined && { apps: [...apps] }),
    ...(restart !== undefined && { restart: restart === true ? restart : [...restart] }),
    plan: id ?? undefined,
  };
}

/** Of a plan that can be applied. @throws {SvcmError} INVALID_REQUEST */
export async function readPlanFile(ports: HasFiles & HasWorkspace, file: string): Promise<Plan> {
  const path = documentPath(ports, file);
  const bytes = await ports.files.read(path, { mayBeOutside: true }).catch((error: unknown) => {
    throw fileRefused(error, path);
  });
  const { planBody } = await import("../api/rollout.ts");
  const { data: plan } = planBody.safeParse(parseRecord(decodeUtf8(bytes) ?? ""));
  if (plan === undefined || plan.id === null)
    throw new SvcmError("INVALID_REQUEST", {
      path,
      details: `${path} does not hold a plan that can be applied. Accepted: a file that svcm plan --out wrote, without --from.`,
    });
  return plan;
}

function fileRefused(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  return new SvcmError("INVALID_REQUEST", { code: error.code, path, details: error.message });
}

interface SwitchInput {
  readonly appliedApps?: ComparisonInput["appliedApps"];
  /** By app: the environment with whose values PM2 itself started it. */
  readonly startedAs?: ReadonlyMap<string, string> | undefined;
  readonly running: readonly { readonly name: string }[];
}

/** Only where the same app runs: environments whose apps have other names live beside each other. */
export function environmentSwitch(
  { appliedApps = {}, startedAs, running }: SwitchInput,
  apps: readonly string[],
  environment: string,
): Issue[] {
  const moved = [...new Set(apps)].flatMap((app) => {
    const started = startedAs?.get(app);
    const from = started ?? ownMember(appliedApps, app)?.environment;
    const isMoved = from !== undefined && from !== environment && running.some(({ name }) => name === app);
    return isMoved ? [{ app, from, isStarted: started !== undefined }] : [];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const { app, from, isStarted } = first;
  const names = moved.filter((one) => one.from === from).map((one) => one.app);
  const it = names.length === 1 ? "it runs" : "they run";
  // Former values of this environment may be the present ones of the other.
  const [verb, why] = isStarted
    ? ["may", `${it} with the values that ${from} declares, and PM2 does not record the environment of a start`]
    : ["would", `this PM2 was last applied for ${from}`];
  const message = `${names.join(", ")} ${verb} move from ${from} to ${environment}: ${why}. To plan for it: svcm plan --environment ${from}. To switch: svcm apply --environment ${environment} --switch-environment.`;
  return [{ code: "ENVIRONMENT_SWITCH", severity: "error", path: ["apps", app], message }];
}
