import type { HasBootOutlook } from "../../rollout/port-deployed.ts";
import type { ApplyPorts } from "../../rollout/ports.ts";
import type { MetricsPorts } from "../../metrics/telemetry.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import { processList } from "../../metrics/operations/metrics.ts";
import { chooseServices, type EnvironmentRequest } from "../../project/resolve.ts";
import type { Project } from "../../project/project.ts";
import { deadDaemonText, type DaemonTraces, restoreCommand } from "../../pm2/daemon-traces.ts";
import { rolloutPlan } from "../../rollout/operations/rollout-plan.ts";
import { readMachineEnvironment, type MachineEnvironment } from "../../rollout/machine-environment.ts";
import { shellQuote } from "../../words/text.ts";
import type { Plan } from "../../api/rollout.ts";
import type { ProcessProblem } from "../../api/metrics.ts";
import type { ProcessStateName } from "../../api/names.ts";
import { countSteps, heldText, unknownTexts } from "../../rollout/report/words.ts";
import { countStates } from "../../running/state-text.ts";
import { groupBy } from "../../words/record.ts";

export interface StatusResponse extends Status {
  readonly root: string;
  /** The environment that commands on this machine mean without a name; null if nothing says it. */
  readonly machine: MachineEnvironment | null;
}

type StatusPorts = ApplyPorts & HasBootOutlook & MetricsPorts;
type ServicePlan = StatusFacts["plans"][number];

/** More would make the answer slow. */
const MAX_SERVICES = 5;

/** Changes nothing and never starts a daemon. A question without an answer is reported as unknown. */
export const statusShow = defineOperation({
  id: "status.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: StatusPorts, request, caller): Promise<StatusResponse> {
    const { root } = ports.workspace;
    const processes = await answerOf(async () => (await processList.run(ports, {}, caller)).processes, "svcm doctor");
    const project = await answerOf(() => ports.facts.project(), "svcm check");
    const plans = isUnanswered(project)
      ? [{ service: undefined, plan: project }]
      : await planServices(ports, project, { request, caller });
    const isSetUp = isUnanswered(project) || project !== undefined;
    const isAbsent = isUnanswered(processes) && processes.code === "PM2_NOT_RUNNING";
    const deadDaemon = isAbsent ? findDead(await ports.processLogs.readDaemonTraces()) : undefined;
    const machine = await answerOf(async () => (await readMachineEnvironment(ports)) ?? null, "svcm doctor");
    return {
      root,
      machine: isUnanswered(machine) ? null : machine,
      ...decideStatus({ isSetUp, plans, processes: isAbsent ? null : processes, deadDaemon }),
    };
  },
});

function findDead(traces: DaemonTraces): StatusFacts["deadDaemon"] {
  const message = deadDaemonText(traces);
  if (message === undefined) return undefined;
  return { message, ...(traces.savedNames.length > 0 && { next: restoreCommand(traces) }) };
}

async function planServices(
  ports: StatusPorts,
  project: Project | undefined,
  { request, caller }: { readonly request: EnvironmentRequest; readonly caller: Caller },
): Promise<ServicePlan[]> {
  const services = chooseServices(project, request.service).map(({ name }) => (name === "" ? undefined : name));
  const requested = services.length === 0 ? [undefined] : services;
  const plans: ServicePlan[] = [];
  for (const service of requested.slice(0, MAX_SERVICES)) {
    const flag = service === undefined ? "" : ` --service ${service}`;
    const input = { environment: request.environment, service };
    const plan = await answerOf(() => rolloutPlan.run(ports, input, caller), `svcm plan${flag}`);
    // Nothing says which one this machine is, so the user has to.
    const isAsking = isUnanswered(plan) && plan.code === "ENVIRONMENT_REQUIRED";
    const example = Object.keys(project?.environments ?? {})[0] ?? "";
    plans.push({ service, plan: isAsking ? { ...plan, next: `svcm status${flag} -e ${example}` } : plan });
  }
  const refusal = commonRefusal(plans);
  if (refusal !== undefined) return [refusal];
  const rest = requested.slice(MAX_SERVICES).map((name) => name ?? "");
  if (rest.length === 0) return plans;
  const message = `not compared, to stay quick: ${rest.join(", ")}`;
  return [...plans, { service: undefined, plan: { message, next: `svcm plan --service ${rest[0]}` } }];
}

/** The same refusal for every service is one point. */
function commonRefusal([first, ...others]: readonly ServicePlan[]): ServicePlan | undefined {
  if (first === undefined || others.length === 0 || !("message" in first.plan)) return undefined;
  const { message, next } = first.plan;
  const isCommon = others.every(({ plan }) => "message" in plan && plan.message === message);
  return isCommon
    ? { service: undefined, plan: { message, next: next.replace(` --service ${first.service}`, "") } }
    : undefined;
}

type Answer<T> = T | Required<Unanswered>;

/** @param next a command that shows more about a refusal */
async function answerOf<T>(ask: () => Promise<T>, next: string): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { message: error.message, next, code: error.body.code ?? error.kind };
  }
}

function isUnanswered<T>(answer: Answer<T>): answer is Required<Unanswered> {
  return typeof answer === "object" && answer !== null && "next" in answer && "code" in answer;
}

/** `idle`: nothing is declared here, so nothing can be said. */
export type StatusVerdict = "as declared" | "attention" | "unknown" | "idle";

export interface StatusPoint {
  readonly kind: "attention" | "unknown";
  readonly message: string;
  /** Absent if no command of svcm helps. */
  readonly next?: string;
}

interface Status {
  readonly verdict: StatusVerdict;
  /** One sentence. */
  readonly summary: string;
  /** Absent if PM2 could not be asked. */
  readonly processes?: string;
  readonly points: readonly StatusPoint[];
  /** The first command to run. */
  readonly next: string | null;
}

/** A question that got no answer. */
interface Unanswered {
  readonly message: string;
  readonly next: string;
  readonly code?: string;
}

export interface StatusProcess {
  readonly name: string;
  readonly pmId: number;
  readonly state: ProcessStateName;
  readonly problem: ProcessProblem | null;
}

export interface StatusFacts {
  /** False without `svcm.yaml`; the default places count then. */
  readonly isSetUp: boolean;
  readonly plans: readonly { readonly service: string | undefined; readonly plan: Plan | Unanswered }[];
  /** Null if no PM2 daemon runs. */
  readonly processes: readonly StatusProcess[] | Unanswered | null;
  /** A sentence if PM2's daemon was killed, and a command if one brings its apps back. */
  readonly deadDaemon?: Omit<StatusPoint, "kind"> | undefined;
}

/** Says "as declared" only if everything was compared and nothing is open. */
export function decideStatus(facts: StatusFacts): Status {
  const { plans, processes, isSetUp, deadDaemon } = facts;
  const listed = deadDaemon === undefined ? listPoints(processes) : [{ kind: "attention" as const, ...deadDaemon }];
  const compared = plans.flatMap(({ plan }) => ("message" in plan ? [] : [plan]));
  const isIdle = !isSetUp && compared.length === plans.length && compared.every(({ exists }) => !exists);
  const declared = isIdle ? [] : plans;
  const found = [
    ...listed,
    ...declared.flatMap(({ plan, service }) => ("message" in plan ? [toPoint(plan)] : planPoints(plan, service))),
  ];
  // A failure may stop several questions. A process that does not work comes before a change that an apply would make.
  const points = found
    .filter(({ message }, at) => found.findIndex((point) => point.message === message) === at)
    .toSorted((a, b) => Number(a.kind === "unknown") - Number(b.kind === "unknown"));
  const verdict = points[0]?.kind ?? (isIdle ? "idle" : "as declared");
  return {
    verdict,
    summary: summaryText(verdict, compared, { points, hasList: processes === null || isList(processes) }),
    ...processesPart(processes),
    points,
    next: points.find(({ next }) => next !== undefined)?.next ?? (isIdle ? "svcm init" : null),
  };
}

function processesPart(processes: StatusFacts["processes"]): Pick<Status, "processes"> {
  if (processes === null) return { processes: "No PM2 daemon runs." };
  return isList(processes) ? { processes: countStates(processes) } : {};
}

function summaryText(
  verdict: StatusVerdict,
  plans: readonly Plan[],
  { points, hasList }: { readonly points: readonly StatusPoint[]; readonly hasList: boolean },
): string {
  const names = [...new Set(plans.map(({ environment }) => environment))].join(", ");
  const prefix = names === "" ? "" : `${names}: `;
  if (verdict === "idle")
    return "No svcm.yaml and no ecosystem file in the default place, so nothing is declared here.";
  if (verdict === "as declared") {
    const files = [...new Set(plans.map(({ fileName }) => fileName))].join(", ");
    return `${prefix}PM2 runs what ${files} ${files.includes(",") ? "declare" : "declares"}.`;
  }
  const count = points.filter(({ kind }) => kind === "attention").length;
  if (count === 0 && plans.length === 0 && !hasList) return "svcm could not check what runs.";
  if (count === 0) return `${prefix}svcm could not check everything. It found no problem in the rest.`;
  return `${prefix}${count} ${count === 1 ? "point needs" : "points need"} attention.`;
}

function planPoints(plan: Plan, service: string | undefined): StatusPoint[] {
  const { environment, exists, changed, held, unknown, issues, fileName } = plan;
  const flags = `${service === undefined ? "" : ` --service ${service}`} -e ${environment}`;
  const subject = service === undefined ? fileName : `${service} (${fileName})`;
  if (!exists) {
    const message = `${service ?? environment}: svcm knows no ecosystem file, so nothing can be compared`;
    return [attention(message, `svcm plan${flags}`)];
  }
  const open = issues.filter(({ severity, code }) => severity === "error" || OPEN_ENDS.has(code));
  return [
    ...open.map(({ message, accepted: [command] = [], code }) =>
      attention(message, (OPEN_ENDS.has(code) && command) || `svcm plan${flags}`),
    ),
    ...(changed ? [attention(`${subject}: ${countSteps(plan)}`, `svcm plan${flags}`)] : []),
    ...held.map((one) => attention(heldText(one, asIs), `svcm plan${flags}`)),
    ...unknownTexts(unknown, asIs).map((message): StatusPoint => ({ kind: "unknown", message })),
  ];
}

/** Warnings of a plan that do not wait for the next apply. */
const OPEN_ENDS: ReadonlySet<string> = new Set([
  "DEPLOY_INTERRUPTED",
  "PROCESS_LEFT_OVER",
  "RELEASE_CHANGED",
  "ROLLBACK_INTERRUPTED",
]);

function listPoints(processes: StatusFacts["processes"]): StatusPoint[] {
  if (processes === null) return [];
  return isList(processes) ? problemPoints(processes) : [toPoint(processes)];
}

function problemPoints(processes: readonly StatusProcess[]): StatusPoint[] {
  const failing = processes.flatMap(({ name, problem }) => (problem === null ? [] : [{ name, problem }]));
  return [...groupBy(failing, ({ name }) => name)].map(([name, ones]) => {
    const [first] = ones;
    const times = ones.length > 1 ? ` (${ones.length} instances)` : "";
    return attention(`${name}${times}: ${first?.problem.details ?? ""}`, `svcm why ${shellQuote(name)}`);
  });
}

function attention(message: string, next: string): StatusPoint {
  return { kind: "attention", message, next };
}

/** Until the daemon answers again, nothing can be acted on. */
function toPoint({ message, next, code }: Unanswered): StatusPoint {
  return code === "PM2_TIMEOUT" || code === "PM2_SOCKET_GONE"
    ? attention(message, next)
    : { kind: "unknown", message, next };
}

function isList(processes: StatusFacts["processes"]): processes is readonly StatusProcess[] {
  return Array.isArray(processes);
}

/** The terminal escapes names. */
const asIs = (text: string): string => text;
