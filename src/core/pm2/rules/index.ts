/** `svcm explain` and the reference are generated from this list. */
import type { Issue } from "../../api/issue.ts";
import { toIssue } from "../../findings/rule.ts";
import {
  type CheckedApp,
  type CheckedEcosystem,
  type EcosystemFinding,
  type EcosystemRule,
  groupsOfSeveral,
} from "./rule.ts";
import {
  clusterInterpreter,
  convertedValues,
  cronDays,
  cronNever,
  cronZones,
  envBlocks,
  fieldTypes,
  memoryLimits,
  notStarted,
  reservedNames,
  reservedVariables,
  shellArguments,
  switchTexts,
  timeUnits,
  unknownFields,
} from "./fields.ts";
import {
  besideApps,
  defaultExport,
  fileKind,
  noApps,
  shadowed,
  similarName,
  unsetParts,
  withheldVariables,
} from "./file.ts";
import {
  clusterWrappers,
  commandLines,
  folders,
  foreignScripts,
  instancesAboveCores,
  missingEnvFiles,
  notExecutable,
  readyWrappers,
  relativeEnvFiles,
  relativePreloads,
  scripts,
  serveArguments,
  unusableLogs,
} from "./scripts.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./ports.ts";
import { volatileFields, volatileValues } from "../volatile.ts";
import { pm2FileKind } from "../loaded.ts";
import { baseName } from "../../words/text.ts";

/** Of a message of PM2's own validation, which `ask-pm2.ts` runs while the file runs. */
type Kind = "cron" | "interpreter" | "user" | "other";

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["cron", /^Cron pattern/],
  ["interpreter", /^Interpreter |^TypeScript apps/],
  ["user", /^(?:User|Group) |\bUID\b|--uid/],
];

const cronPatterns: EcosystemRule = {
  code: "ECOSYSTEM_CRON_INVALID",
  severity: "error",
  blocks: "always",
  check: ({ apps }) => refusalFindings(apps, "cron", "cron_restart"),
};

const missingInterpreters: EcosystemRule = {
  code: "ECOSYSTEM_INTERPRETER_MISSING",
  severity: "error",
  // The daemon may have another PATH than this command, for example that of a timer.
  blocks: "unless they already run",
  check: ({ apps }) => {
    const refused = refusalFindings(apps, "interpreter", "interpreter");
    const missing = apps
      .filter(({ index, checks, declared }) => {
        const isRefused = refused.some(({ path }) => path?.[1] === index);
        return checks?.hasInterpreter === false && declared.execMode === "fork" && !isRefused;
      })
      .map(({ index, label, declared }) => ({
        apps: [declared.name],
        path: ["apps", index, "interpreter"],
        message: `${label}: there is no interpreter ${declared.interpreter} that PM2 could run`,
      }));
    return [...refused, ...missing];
  },
};

const unknownUsers: EcosystemRule = {
  code: "ECOSYSTEM_USER_UNKNOWN",
  severity: "error",
  blocks: "always",
  check: ({ apps }) => refusalFindings(apps, "user", "uid"),
};

const otherRefusals: EcosystemRule = {
  code: "ECOSYSTEM_PM2_REFUSES",
  severity: "error",
  blocks: "always",
  check: ({ apps, file: { loaded } }) => [
    ...(loaded?.parts ?? (loaded ? [loaded] : [])).flatMap(({ path, refusals = [] }) =>
      refusals.map((reason) => ({ message: `${baseName(path)}: PM2 refuses the file: ${reason}` })),
    ),
    ...refusalFindings(apps, "other"),
  ],
};

const missingPm2: EcosystemRule = {
  code: "ECOSYSTEM_PM2_NOT_ASKED",
  severity: "warning",
  *check({ apps }) {
    if (apps.some(({ checks }) => checks !== undefined && checks.refusals === undefined))
      yield {
        path: ["apps"],
        message: "PM2's own validation was not asked, because svcm finds no PM2 that it may load",
      };
  },
};

function refusalFindings(apps: readonly CheckedApp[], wanted: Kind, field?: string): EcosystemFinding[] {
  return apps.flatMap(({ index, label, checks, declared }) =>
    (checks?.refusals ?? [])
      .filter((reason) => kindOf(reason) === wanted)
      .map((reason) => ({
        apps: [declared.name],
        path: ["apps", index, ...(field === undefined ? [] : [field])],
        message: `${label}: PM2 refuses the app: ${reason}`,
      })),
  );
}

function kindOf(reason: string): Kind {
  return KINDS.find(([, pattern]) => pattern.test(reason))?.[0] ?? "other";
}

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
  besideApps,
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
  readyWrappers,
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
  cronNever,
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
