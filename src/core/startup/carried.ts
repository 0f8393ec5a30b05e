import type { Issue } from "../api/issue.ts";
import { listed } from "../findings/rule.ts";
import { startupKeys, type CarriedDrivers } from "./plan.ts";

/** The file beside the env files in which a backend lists the drivers that it has an adapter for. */
export const CARRIED_FILE = "svcm.startup.json";

/** What is wrong with a list of carried drivers, before it has a code and a place. */
type Fault = Pick<Issue, "path" | "message" | "accepted">;

/** The list as the file holds it, `{ "drivers": { KEY: [value, ...] } }`, or every reason against it. */
export function readCarriedFile(document: unknown): CarriedDrivers | readonly Issue[] {
  if (!isRecord(document)) return [fault({ path: [], message: 'expected { "drivers": { KEY: [value, ...] } }' })];
  const unknown = Object.keys(document).filter((member) => member !== "drivers");
  const foreign = unknown.map((member) => ({
    path: [member],
    message: `"${member}" is not a known member; accepted: drivers`,
    accepted: ["drivers"],
  }));
  const issues = [...foreign.map(fault), ...carriedIssues(document["drivers"])];
  return issues.length > 0 ? issues : (document["drivers"] as CarriedDrivers);
}

/** Every reason why a value is not a list of carried drivers; none where it is one. */
export function carriedIssues(drivers: unknown): Issue[] {
  if (!isRecord(drivers)) return [fault({ path: ["drivers"], message: "drivers: expected { KEY: [value, ...] }" })];
  return Object.entries(drivers).flatMap(([key, values]) => {
    const path = ["drivers", key];
    if (!startupKeys.some((one) => one === key)) {
      const message = `drivers: "${key}" is not a startup key; accepted: ${listed(startupKeys)}`;
      return [fault({ path, message, accepted: startupKeys })];
    }
    return isList(values) ? [] : [fault({ path, message: `drivers.${key}: expected a list of at least one value` })];
  });
}

function fault({ path, message, accepted }: Fault): Issue {
  return { code: "STARTUP_DRIVERS_INVALID", severity: "error", path, message, ...(accepted && { accepted }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "");
}
