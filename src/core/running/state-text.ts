import type { ProcessStateName } from "../api/names.ts";

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
