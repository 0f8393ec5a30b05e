import type { Issue } from "../api/issue.ts";
import { withAccepted, type Finding, toIssue } from "../findings/rule.ts";
import { isRecord } from "../words/record.ts";
import { startupKeys, type CarriedDrivers } from "./plan.ts";

/** The file next to the env files that lists the drivers for which a backend has an adapter. */
export const DRIVERS_FILE = "svcm.startup.json";

export function parseDriversFile(document: unknown): CarriedDrivers | readonly Issue[] {
  const findings = fileFindings(document);
  if (findings.length === 0) return (document as { readonly drivers: CarriedDrivers }).drivers;
  return findings.map((finding) => toIssue({ code: "STARTUP_DRIVERS_INVALID", severity: "error", ...finding }));
}

function fileFindings(document: unknown): Finding[] {
  if (!isRecord(document)) return [{ message: 'expected { "drivers": { KEY: [value, ...] } }' }];
  const unknown = Object.keys(document).filter((member) => member !== "drivers");
  return [
    ...unknown.map((member) => ({ path: [member], ...withAccepted(`"${member}" is not a known member`, ["drivers"]) })),
    ...driverFindings(document["drivers"]),
  ];
}

export function driverFindings(drivers: unknown): Finding[] {
  if (!isRecord(drivers)) return [{ path: ["drivers"], message: "drivers: expected { KEY: [value, ...] }" }];
  return Object.entries(drivers).flatMap(([key, values]): Finding[] => {
    const path = ["drivers", key];
    if (!startupKeys.some((one) => one === key))
      return [{ path, ...withAccepted(`drivers: "${key}" is not a startup key`, startupKeys) }];
    return isFilledList(values) ? [] : [{ path, message: `drivers.${key}: expected a list of at least one value` }];
  });
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "");
}
