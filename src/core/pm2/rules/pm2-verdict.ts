/** The verdict of PM2's own validation. `ask-pm2.ts` asks it while the file runs. */
import { baseName } from "../../words/path.ts";
import type { CheckedApp, EcosystemFinding, EcosystemRule } from "./rule.ts";

type Kind = "cron" | "interpreter" | "user" | "other";

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["cron", /^Cron pattern/],
  ["interpreter", /^Interpreter |^TypeScript apps/],
  ["user", /^(?:User|Group) |\bUID\b|--uid/],
];

export const cronPatterns: EcosystemRule = {
  code: "ECOSYSTEM_CRON_INVALID",
  severity: "error",
  blocks: "always",
  check: ({ apps }) => refusalFindings(apps, "cron", "cron_restart"),
};

export const missingInterpreters: EcosystemRule = {
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

export const unknownUsers: EcosystemRule = {
  code: "ECOSYSTEM_USER_UNKNOWN",
  severity: "error",
  blocks: "always",
  check: ({ apps }) => refusalFindings(apps, "user", "uid"),
};

export const otherRefusals: EcosystemRule = {
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

export const missingPm2: EcosystemRule = {
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
