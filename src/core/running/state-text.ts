import type { ProcessStateName } from "../api/names.ts";
import type { ProcessProblem } from "../api/metrics.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { StateOf } from "./state.ts";
import { groupBy } from "../words/record.ts";
import { pluralize } from "../words/text.ts";

/** `4 processes of PM2: 3 online, 1 waiting.` */
export function countStates(processes: readonly { readonly state: string }[]): string {
  if (processes.length === 0) return "PM2 has no processes.";
  const states = [...groupBy(processes, ({ state }) => state)].map(([state, ones]) => `${ones.length} ${state}`);
  return `${pluralize(processes.length, "process", "processes")} of PM2: ${states.join(", ")}.`;
}

/** `waiting, next 03:00 Europe/Berlin` */
export function stateText({
  name,
  reason,
}: {
  readonly name: ProcessStateName;
  readonly reason: string | null;
}): string {
  if (reason === null) return name;
  return `${name}${/^(?:by|since|with) /.test(reason) ? "" : ","} ${reason}`;
}

/** The ends of a process say the other problems. */
const SILENT_PROBLEMS: ReadonlySet<ProcessProblem["code"]> = new Set([
  "PROCESS_HUNG",
  "PROCESS_NOT_LOADED",
  "PROCESS_FOLDER_MISSING",
  "JOB_MISSED",
  "JOB_STUCK",
]);

/** Why a process that PM2 calls online does not answer, or may not. */
export function silenceSentences(processes: readonly ProcessRecord[], stateOf: StateOf): string[] {
  const sentences = processes.flatMap((record) => {
    const { problem, doubt, reason } = stateOf(record);
    const of = processes.length > 1 ? `Id ${record.pmId}: ` : "";
    if (problem !== null && SILENT_PROBLEMS.has(problem.code)) return `${of}${problem.details}`;
    return doubt === undefined || doubt === reason ? [] : `svcm does not know if it works: ${doubt}.`;
  });
  return [...new Set(sentences)];
}
