import type { HasBootOutlook } from "../../rollout/port-boot-outlook.ts";
import type { ApplyPorts } from "../../rollout/apply/ports.ts";
import type { MetricsPorts } from "../../metrics/telemetry.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import { processList } from "../../metrics/operations/process-list.ts";
import { chooseServices, type EnvironmentRequest } from "../../project/resolve.ts";
import type { Project } from "../../project/project.ts";
import { deadDaemonText, type DaemonTraces } from "../../pm2/daemon-traces.ts";
import { rolloutPlan } from "../../rollout/operations/rollout-plan.ts";
import { readMachineEnvironment, type MachineEnvironment } from "../../rollout/machine-environment.ts";
import { decideStatus, type Status, type StatusFacts, type Unanswered } from "../status/decide.ts";

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
  return { message, ...(traces.savedNames.length > 0 && { next: "svcm boot restore" }) };
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

type Answer<T> = T | (Unanswered & { readonly code: string });

/** @param next a command that shows more about a refusal */
async function answerOf<T>(ask: () => Promise<T>, next: string): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { message: error.message, next, code: error.body.code ?? error.kind };
  }
}

function isUnanswered<T>(answer: Answer<T>): answer is Unanswered & { readonly code: string } {
  return typeof answer === "object" && answer !== null && "next" in answer && "code" in answer;
}
