import { pm2FileKind } from "../file-name.ts";
import { sharing, type CheckedEcosystem, type EcosystemRule, type Finding } from "../rule.ts";

export const duplicateNames: EcosystemRule = ({ apps }) =>
  [...sharing(apps, ({ normal }) => normal.name)].flatMap(([name, group]): Finding[] => {
    const last = group.at(-1);
    if (name === "" || last === undefined) return [];
    return [
      {
        code: "ECOSYSTEM_NAME_DUPLICATE",
        path: ["apps", last.index, "name"],
        message: `${name} is declared ${group.length} times; PM2 cannot tell them apart, and the last one's env counts for all`,
      },
    ];
  });

/** PM2 takes some names for something else. */
export const ambiguousNames: EcosystemRule = (ecosystem) =>
  ecosystem.apps.flatMap(({ index, normal: { name } }) => {
    const why = whyAmbiguous(name, ecosystem);
    if (why === undefined) return [];
    const message = `${JSON.stringify(name)}: ${why}`;
    return [{ code: "ECOSYSTEM_NAME_AMBIGUOUS", path: ["apps", index, "name"], message }];
  });

function whyAmbiguous(name: string, { apps }: CheckedEcosystem): string | undefined {
  if (name === "all") return "PM2 takes this name for every process";
  if (/^\d+$/.test(name)) return "PM2 takes a number for the id of a process";
  if (/^\/.*\/$/s.test(name)) return "PM2 takes a name between slashes for a regular expression";
  if (name.startsWith("-")) return "PM2 takes a name that starts with - for an option";
  if (/[ ,]/.test(name)) return "PM2 splits --only at spaces and commas, so this app cannot be started alone";
  if (pm2FileKind(name) !== undefined) return "PM2 takes this name for an ecosystem file";
  if (apps.some(({ normal }) => normal.namespace === name)) return "it is also a namespace, and PM2 acts on all of it";
  return undefined;
}

/** What the repository promises, an app has to serve. Each missing ending is told once, with all that promise it. */
export const impliedNames: EcosystemRule = ({ apps, implied }) => {
  if (apps.length === 0) return [];
  const suffixes = [...new Set(implied.flatMap((one) => one.suffixes))];
  return suffixes
    .filter((suffix) => !apps.some(({ normal }) => normal.name.endsWith(suffix)))
    .map((suffix) => {
      const by = implied.filter((one) => one.suffixes.includes(suffix)).map((one) => one.by);
      const verb = by.length === 1 ? "implies" : "imply";
      return {
        code: "ECOSYSTEM_SUFFIX_MISSING",
        path: ["apps"],
        message: `no app name ends with "${suffix}", which ${by.join(" and ")} of deployments.yaml ${verb}`,
      };
    });
};
