import { compareText, type Issue } from "../api/issue.ts";
import type { Plan } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ComparisonInput } from "./compare.ts";
import type { Decision } from "./decide.ts";
import { stepNames, type DecidedStep } from "./step.ts";

export interface PlanContext extends Pick<
  Plan,
  "environment" | "fileName" | "path" | "exists" | "choices" | "git" | "pm2" | "from" | "leftOut"
> {
  /** Canonical, so that other names of the environment have the same plan. */
  readonly name: string;
  readonly refused: ReadonlyMap<string, Issue>;
  readonly warnings: readonly Issue[];
  /** By app: changes with the code that is in place. */
  readonly code: readonly (readonly [app: string, fingerprint: string])[];
  /** Absent for a plan that cannot be applied. */
  readonly digest?: (text: string) => string;
}

/** The id changes with the steps and with every input of the computation. */
export function createPlan(
  input: ComparisonInput,
  { steps, unchanged, unknown, undeclared }: Decision,
  { name: environment, refused, warnings, code, digest, ...context }: PlanContext,
): Plan {
  const touched = new Set(steps.flatMap(stepNames));
  const issues = [
    ...[...refused].flatMap(([app, issue]) => (touched.has(app) ? [issue] : [])),
    ...portIssues(input, steps),
  ];
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
    unknown,
    issues,
    code,
    git: context.git,
  };
  return {
    id: digest === undefined ? null : shortId(digest(JSON.stringify(inputs))),
    ...context,
    changed: steps.length > 0,
    steps: steps.map(({ why, ...step }) => ({ ...step, why: why.map(({ pmIds: _ids, ...reason }) => reason) })),
    unchanged,
    unknown,
    undeclared,
    issues: steps.length === 0 ? issues : [...issues, ...warnings],
    summary: countByKind(steps),
  };
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
    .flatMap(({ name, script, httpPort }): Issue[] => {
      const holder = running.find(
        (one) =>
          !accounted.has(one.name) &&
          one.pid !== null &&
          one.script === script &&
          httpPort !== null &&
          one.httpPort === httpPort,
      );
      if (holder === undefined) return [];
      const message = `${name} would listen on port ${httpPort}, which ${holder.name} (id ${holder.pmId}) uses with the same script, and no file declares that process. If the app was renamed, run: svcm process delete --id ${holder.pmId}`;
      return [{ code: "APP_PORT_TAKEN", severity: "error", path: ["apps", name], message }];
    });
}

function countByKind(steps: readonly DecidedStep[]): Plan["summary"] {
  const count = (kind: DecidedStep["do"]): number => steps.filter((step) => step.do === kind).length;
  return {
    start: count("start"),
    resume: count("resume"),
    update: count("update"),
    scale: count("scale"),
    replace: count("replace"),
    remove: count("remove"),
  };
}
