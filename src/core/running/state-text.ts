import type { ProcessStateName } from "../api/names.ts";
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
