import { pm2FileKind } from "../file-name.ts";
import { groupsOfSeveral, type CheckedEcosystem, type EcosystemFinding, type EcosystemRule } from "./rule.ts";

export const duplicateNames: EcosystemRule = {
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

export const ambiguousNames: EcosystemRule = {
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

export const impliedNames: EcosystemRule = {
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
