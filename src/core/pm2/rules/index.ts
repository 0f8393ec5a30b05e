/** `svcm explain` and the reference are generated from this list. */
import type { Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import { type CheckedEcosystem, type EcosystemRule, groupsOfSeveral, type EcosystemFinding } from "./rule.ts";
import {
  clusterInterpreter,
  envBlocks,
  fieldTypes,
  unknownFields,
  cronDays,
  cronZones,
  convertedValues,
  memoryLimits,
  notStarted,
  reservedNames,
  reservedVariables,
  shellArguments,
  switchTexts,
  timeUnits,
} from "./fields.ts";
import { defaultExport, fileKind, similarName, noApps, shadowed, unsetParts, withheldVariables } from "./file.ts";
import {
  folders,
  instancesAboveCores,
  missingEnvFiles,
  relativeEnvFiles,
  relativePreloads,
  scripts,
  unusableLogs,
  clusterWrappers,
  commandLines,
  foreignScripts,
  notExecutable,
  serveArguments,
} from "./scripts.ts";
import { cronPatterns, missingInterpreters, missingPm2, otherRefusals, unknownUsers } from "./pm2-verdict.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./ports.ts";
import { volatileFields, volatileValues } from "./volatile.ts";
import { pm2FileKind } from "../loaded.ts";

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

const duplicateNames: EcosystemRule = {
  code: "ECOSYSTEM_NAME_DUPLICATE",
  severity: "error",
  blocks: "always",
  check: ({ apps }) =>
    [...groupsOfSeveral(apps, ({ normal }) => normal.name)].flatMap(([name, group]): EcosystemFinding[] => {
      const last = group.at(-1);
      if (name === "" || last === undefined) return [];
      const message = `${name} is declared ${group.length} times; PM2 cannot distinguish them, and the last one's env applies to all`;
      return [{ path: ["apps", last.index, "name"], message, apps: [name] }];
    }),
};

const ambiguousNames: EcosystemRule = {
  code: "ECOSYSTEM_NAME_AMBIGUOUS",
  severity: "error",
  check: (ecosystem) =>
    ecosystem.apps.flatMap(({ index, normal: { name } }) => {
      const why = whyAmbiguous(name, ecosystem);
      if (why === undefined) return [];
      const issue = { path: ["apps", index, "name"], message: `${JSON.stringify(name)}: ${why}` };
      // svcm starts it without PM2's option.
      return [why === SPLIT ? { ...issue, severity: "warning" as const } : issue];
    }),
};

const impliedNames: EcosystemRule = {
  code: "ECOSYSTEM_SUFFIX_MISSING",
  severity: "error",
  check({ apps, implied }) {
    if (apps.length === 0) return [];
    const suffixes = [...new Set(implied.flatMap((source) => source.suffixes))];
    return suffixes
      .filter((suffix) => !apps.some(({ normal }) => normal.name.endsWith(suffix)))
      .map((suffix) => {
        const by = implied.filter((source) => source.suffixes.includes(suffix)).map((source) => source.by);
        const verb = by.length === 1 ? "implies" : "imply";
        const message = `no app name ends with "${suffix}", which ${by.join(" and ")} of deployments.yaml ${verb}`;
        return { path: ["apps"], message };
      });
  },
};

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
  relativePreloads,
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
  reservedNames,
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

const SPLIT = "PM2 splits --only at spaces and commas, so pm2 start cannot start this app alone, and svcm start can";

function whyAmbiguous(name: string, { apps }: CheckedEcosystem): string | undefined {
  if (name === "all") return "PM2 takes this name for every process";
  if (/^\d+$/.test(name)) return "PM2 takes a number for the id of a process";
  if (/^\/.*\/$/s.test(name)) return "PM2 takes a name between slashes for a regular expression";
  if (name.startsWith("-")) return "PM2 takes a name that starts with - for an option";
  if (/[ ,]/.test(name)) return SPLIT;
  if (pm2FileKind(name) !== undefined) return "PM2 takes this name for an ecosystem file";
  if (apps.some(({ normal }) => normal.namespace === name)) return "it is also a namespace, and PM2 acts on all of it";
  return undefined;
}
