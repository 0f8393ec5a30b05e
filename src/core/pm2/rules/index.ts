/** `svcm explain` and the reference are generated from this list. */
import type { Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import type { CheckedEcosystem, EcosystemRule } from "./rule.ts";
import { clusterInterpreter, envBlocks, fieldTypes, unknownFields, cronDays, cronZones } from "./fields.ts";
import { defaultExport, fileKind, similarName, noApps, shadowed, unsetParts, withheldVariables } from "./file.ts";
import { folders, instancesAboveCores, missingEnvFiles, relativeEnvFiles, scripts, unusableLogs } from "./machine.ts";
import { ambiguousNames, duplicateNames, impliedNames } from "./names.ts";
import { cronPatterns, missingInterpreters, missingPm2, otherRefusals, unknownUsers } from "./pm2-verdict.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./ports.ts";
import { clusterWrappers, commandLines, foreignScripts, notExecutable, serveArguments } from "./scripts.ts";
import {
  convertedValues,
  memoryLimits,
  notStarted,
  reservedVariables,
  shellArguments,
  switchTexts,
  timeUnits,
} from "./values.ts";
import { volatileFields, volatileValues } from "./volatile.ts";

/** These may also occur in a checkout that was not built, or on a laptop. */
export const machineCodes: ReadonlySet<string> = new Set(
  [
    scripts,
    folders,
    missingEnvFiles,
    missingInterpreters,
    unknownUsers,
    unusableLogs,
    instancesAboveCores,
    notExecutable,
  ].map(({ code }) => code),
);

export const rules: readonly EcosystemRule[] = [
  fileKind,
  similarName,
  shadowed,
  defaultExport,
  noApps,
  withheldVariables,
  unsetParts,
  fieldTypes,
  unknownFields,
  envBlocks,
  clusterInterpreter,
  duplicateNames,
  ambiguousNames,
  impliedNames,
  scripts,
  folders,
  missingEnvFiles,
  relativeEnvFiles,
  invalidPorts,
  portCollisions,
  portInstances,
  killTimeouts,
  otherRefusals,
  missingPm2,
  cronPatterns,
  missingInterpreters,
  unknownUsers,
  unusableLogs,
  commandLines,
  foreignScripts,
  clusterWrappers,
  notExecutable,
  serveArguments,
  switchTexts,
  memoryLimits,
  timeUnits,
  shellArguments,
  reservedVariables,
  convertedValues,
  notStarted,
  cronZones,
  cronDays,
  instancesAboveCores,
  volatileValues,
  volatileFields,
];

export interface BlockingIssue {
  readonly issue: Issue;
  /** The names of all apps that take part. */
  readonly apps: readonly string[];
  readonly isAcceptedOnceRunning: boolean;
}

/** The findings of `svcm ecosystem check` that plan and apply refuse, too. One list, so that both agree. */
export function blockingIssues(ecosystem: Omit<CheckedEcosystem, "implied">): BlockingIssue[] {
  const checked = { ...ecosystem, implied: [] };
  return rules.flatMap(({ blocks, code, severity, check }) =>
    blocks === undefined
      ? []
      : Array.from(check(checked), ({ apps = [], ...finding }) => ({
          issue: toIssue({ severity, ...finding, code }),
          apps,
          isAcceptedOnceRunning: blocks !== "always",
        })),
  );
}
