/** The verdict of PM2's own validation. `ask-pm2.ts` asks it while the file runs. */
import type { Finding } from "../../findings/rule.ts";
import { baseName } from "../../words/path.ts";
import type { CheckedApp, EcosystemRule } from "./rule.ts";

type Kind = "cron" | "interpreter" | "user" | "other";

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["cron", /^Cron pattern/],
  ["interpreter", /^Interpreter |^TypeScript apps/],
  ["user", /^(?:User|Group) |\bUID\b|--uid/],
];

export const cronPatterns: EcosystemRule = {
  code: "ECOSYSTEM_CRON_INVALID",
  severity: "error",
  summary: "PM2 cannot read the pattern of a schedule, and refuses the whole file.",
  remedy: "Write five or six fields, such as `0 3 * * *`; PM2 does not know `@daily`.",
  check: ({ apps }) => refusalFindings(apps, "cron", "cron_restart"),
};

export const missingInterpreters: EcosystemRule = {
  code: "ECOSYSTEM_INTERPRETER_MISSING",
  severity: "error",
  summary: "The interpreter of an app is not on this machine.",
  explanation: "PM2 looks for a name in PATH. A relative path counts from the folder of the app.",
  remedy: "Install the interpreter, or correct `interpreter`; an absolute path is independent of the folder.",
  check: ({ apps }) => {
    const refused = refusalFindings(apps, "interpreter", "interpreter");
    const missing = apps
      .filter(({ index, checks, declared }) => {
        const isRefused = refused.some(({ path }) => path?.[1] === index);
        return checks?.hasInterpreter === false && declared.execMode === "fork" && !isRefused;
      })
      .map(({ index, label, declared }) => ({
        path: ["apps", index, "interpreter"],
        message: `${label}: there is no interpreter ${declared.interpreter} that PM2 could run`,
      }));
    return [...refused, ...missing];
  },
};

export const unknownUsers: EcosystemRule = {
  code: "ECOSYSTEM_USER_UNKNOWN",
  severity: "error",
  summary: "PM2 cannot run an app as the user or group that it declares.",
  explanation: "Only a PM2 of root can change the user. The user and the group must be on this machine.",
  remedy: "Create the user, correct its name, or leave `user`, `uid` and `gid` out.",
  check: ({ apps }) => refusalFindings(apps, "user", "uid"),
};

export const otherRefusals: EcosystemRule = {
  code: "ECOSYSTEM_PM2_REFUSES",
  severity: "error",
  summary: "PM2's own validation refuses the file.",
  explanation: "svcm asks the PM2 that it starts apps with, in the process that runs the file.",
  remedy: "Correct what PM2's message names.",
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
  summary: "No PM2 is installed that could validate the file, so only svcm's own rules did (warning).",
  remedy: "Run `npm install pm2` in the repository, and check again. `svcm doctor` says where svcm looks for PM2.",
  *check({ apps }) {
    if (apps.some(({ checks }) => checks !== undefined && checks.refusals === undefined))
      yield {
        path: ["apps"],
        message: "PM2's own validation was not asked, because svcm finds no PM2 that it may load",
      };
  },
};

function refusalFindings(apps: readonly CheckedApp[], wanted: Kind, field?: string): Finding[] {
  return apps.flatMap(({ index, label, checks }) =>
    (checks?.refusals ?? [])
      .filter((reason) => kindOf(reason) === wanted)
      .map((reason) => ({
        path: ["apps", index, ...(field === undefined ? [] : [field])],
        message: `${label}: PM2 refuses the app: ${reason}`,
      })),
  );
}

function kindOf(reason: string): Kind {
  return KINDS.find(([, pattern]) => pattern.test(reason))?.[0] ?? "other";
}
