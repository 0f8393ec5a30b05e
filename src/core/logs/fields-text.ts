import type { LogLine } from "../api/logs.ts";

/** The other members of a line of JSON, as the command line and HTTP show them behind the text. */
export function formatFields(fields: LogLine["fields"]): string {
  if (fields === undefined) return "";
  const named = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
  return named.join("").replaceAll("\n", " ");
}
