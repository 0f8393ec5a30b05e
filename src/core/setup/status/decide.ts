import { shellQuote } from "../../words/shell.ts";
import type { Plan } from "../../api/rollout.ts";
import type { ProcessProblem } from "../../api/metrics.ts";
import type { ProcessStateName } from "../../api/names.ts";
import { countSteps, heldText, unknownText } from "../../rollout/report/words.ts";
import { countStates } from "../../running/state-text.ts";
import { groupBy } from "../../words/lists.ts";

/** `idle`: nothing is declared here, so nothing can be said. */
export type StatusVerdict = "as declared" | "attention" | "unknown" | "idle";

export interface StatusPoint {
  readonly kind: "attention" | "unknown";
  readonly message: string;
  /** Absent if no command of svcm helps. */
  readonly next?: string;
}

export interface Status {
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
export interface Unanswered {
  readonly message: string;
  readonly next: string;
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
  // A process that does not work comes before a change that an apply would make.
  const points = [
    ...listed,
    ...declared.flatMap(({ plan, service }) => ("message" in plan ? [toUnknown(plan)] : planPoints(plan, service))),
  ].toSorted((a, b) => Number(a.kind === "unknown") - Number(b.kind === "unknown"));
  const verdict = points[0]?.kind ?? (isIdle ? "idle" : "as declared");
  return {
    verdict,
    summary: summaryText(verdict, compared, points),
    ...processesPart(processes),
    points,
    next: points.find(({ next }) => next !== undefined)?.next ?? (isIdle ? "svcm init" : null),
  };
}

function processesPart(processes: StatusFacts["processes"]): Pick<Status, "processes"> {
  if (processes === null) return { processes: "No PM2 daemon runs." };
  return isList(processes) ? { processes: countStates(processes) } : {};
}

function summaryText(verdict: StatusVerdict, plans: readonly Plan[], points: readonly StatusPoint[]): string {
  const names = [...new Set(plans.map(({ environment }) => environment))].join(", ");
  const prefix = names === "" ? "" : `${names}: `;
  if (verdict === "idle")
    return "No svcm.yaml and no ecosystem file in the default place, so nothing is declared here.";
  if (verdict === "as declared") {
    const files = [...new Set(plans.map(({ fileName }) => fileName))].join(", ");
    return `${prefix}PM2 runs what ${files} ${files.includes(",") ? "declare" : "declares"}.`;
  }
  const count = points.filter(({ kind }) => kind === "attention").length;
  if (count === 0) return `${prefix}svcm could not check everything. It found no problem in the rest.`;
  return `${prefix}${count} ${count === 1 ? "point needs" : "points need"} attention.`;
}

function planPoints(plan: Plan, service: string | undefined): StatusPoint[] {
  const { environment, exists, changed, held, unknown, issues, fileName } = plan;
  const flags = `${service === undefined ? "" : ` --service ${service}`} -e ${environment}`;
  const subject = service === undefined ? fileName : `${service} (${fileName})`;
  if (!exists) {
    const message = `${service ?? environment}: there is no ecosystem file, so nothing can be compared`;
    return [attention(message, "svcm doctor")];
  }
  const errors = issues.filter(({ severity }) => severity === "error");
  return [
    ...errors.map(({ message }) => attention(message, `svcm plan${flags}`)),
    ...(changed ? [attention(`${subject}: ${countSteps(plan)}`, `svcm plan${flags}`)] : []),
    ...held.map((one) => attention(heldText(one, asIs), `svcm plan${flags}`)),
    ...unknown.map((one): StatusPoint => ({ kind: "unknown", message: unknownText(one, asIs) })),
  ];
}

function listPoints(processes: StatusFacts["processes"]): StatusPoint[] {
  if (processes === null) return [];
  return isList(processes) ? problemPoints(processes) : [toUnknown(processes)];
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

function toUnknown({ message, next }: Unanswered): StatusPoint {
  return { kind: "unknown", message, next };
}

function isList(processes: StatusFacts["processes"]): processes is readonly StatusProcess[] {
  return Array.isArray(processes);
}

/** The terminal escapes names. */
const asIs = (text: string): string => text;
