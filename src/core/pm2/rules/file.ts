import { baseName, nameList } from "../../words/text.ts";
import type { Issue } from "../../api/issue.ts";
import { toIssue, type Finding } from "../../findings/rule.ts";
import { isRecord } from "../../words/record.ts";
import { ecosystemFileNames, pm2FileKind } from "../loaded.ts";
import type { Fields } from "../normalise.ts";
import type { EcosystemFile } from "../view.ts";
import type { EcosystemRule } from "./rule.ts";

/** PM2 looks for its endings anywhere in the path: in a folder named `app.json`, every file counts as JSON. */
export const fileKind: EcosystemRule = {
  code: "ECOSYSTEM_FILE_KIND",
  severity: "error",
  check({ file: { path, fileName, loaded } }) {
    const kindByPath = pm2FileKind(path);
    if (loaded === undefined || kindByPath === pm2FileKind(fileName)) return [];
    const kind = kindByPath === undefined ? "a script" : kindByPath.toUpperCase();
    return [{ message: `PM2 takes ${path} for ${kind}, by a part of its path; rename the folder` }];
  },
};

export const similarName: EcosystemRule = {
  code: "ECOSYSTEM_FILE_NAME",
  severity: "warning",
  check({ file: { name, loaded }, listed }) {
    const [suggestion] = ecosystemFileNames(name);
    const isNear = (entry: string): boolean =>
      entry.toLowerCase().startsWith(`ecosystem.${name}.`) && /\.[cm]?[jt]s$/.test(entry);
    return listed
      .filter((entry) => isNear(entry) && pm2FileKind(entry) === undefined)
      .map((entry) => ({
        ...(loaded === undefined && { severity: "error" }),
        message: `${entry}: PM2 would run it as a script because its name does not end in .config.cjs`,
        suggestion,
      }));
  },
};

export const shadowed: EcosystemRule = {
  code: "ECOSYSTEM_FILE_SHADOWED",
  severity: "warning",
  check: ({ file, listed }) =>
    // svcm.yaml names the files that are read.
    (file.loaded?.apps.some(({ start }) => start !== undefined) ? [] : ecosystemFileNames(file.name))
      .filter((name) => name !== file.fileName && listed.includes(name))
      .map((name) => ({ message: `${name} is not read: ${file.fileName} comes first; remove one of them` })),
};

export const defaultExport: EcosystemRule = {
  code: "ECOSYSTEM_DEFAULT_EXPORT",
  severity: "error",
  check: ({ file: { loaded } }) =>
    (loaded?.parts ?? (loaded ? [loaded] : []))
      .filter(({ isDefaultExport }) => isDefaultExport)
      .map(({ path }) => ({
        message: `${baseName(path)} exports its apps as default, where PM2 finds none; write: export const apps = [...]`,
      })),
};

export const besideApps: EcosystemRule = {
  code: "ECOSYSTEM_FIELD_UNKNOWN",
  severity: "warning",
  check: ({ file: { loaded } }) =>
    (loaded?.parts ?? (loaded ? [loaded] : [])).flatMap(({ beside = [] }) =>
      beside.map((key) => ({ path: [key], message: `PM2 reads ${key} in an app, and ignores it beside apps` })),
    ),
};

export const withheldVariables: EcosystemRule = {
  code: "ECOSYSTEM_VARIABLE_WITHHELD",
  severity: "warning",
  check: ({ file: { loaded } }) => (loaded === undefined ? [] : withheldFindings(loaded.withheld)),
};

/** The finding of that rule in the result of an action. @param names of `LoadedEcosystem.withheld` */
export function withheldIssues(names: readonly string[]): Issue[] {
  const { code, severity } = withheldVariables;
  return withheldFindings(names).map((finding) => toIssue({ ...finding, code, severity }));
}

function withheldFindings(names: readonly string[]): Finding[] {
  if (names.length === 0) return [];
  const message = `The ecosystem file reads secrets of the shell that svcm does not pass on: ${names.join(", ")}. The file's own values apply, if it has any. Put the secrets into an env file that the app reads, or start the app with PM2 itself.`;
  return [{ path: ["apps"], message }];
}

/** The text that JavaScript writes for a variable without a value, as in `${process.env.NAME}-api`. */
const HOLE = /undefined/;

/** A name without its first half would be a second app beside the one that runs. */
export const unsetParts: EcosystemRule = {
  code: "ECOSYSTEM_FIELD_UNSET",
  severity: "error",
  blocks: "always",
  check: ({ apps }) =>
    apps.flatMap(({ absent = [], fields, index, label, normal }) =>
      (absent.length === 0 ? [] : fieldsWithHoles(fields)).map((field) => ({
        path: ["apps", index, ...field.split(".")],
        message: `${label}: ${field} holds the text "undefined", because the file reads variables that have no value here: ${nameList(absent)}; set them as for pm2 start, or write defaults`,
        apps: [normal.name],
      })),
    ),
};

/** Blocks of other environments do not count. */
function fieldsWithHoles(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (field === "env" && isRecord(value)) return fieldsWithHoles(value).map((key) => `env.${key}`);
    const words = Array.isArray(value) ? value : [value];
    const hasHole = words.some((word) => typeof word === "string" && HOLE.test(word));
    return hasHole && !field.startsWith("env_") ? [field] : [];
  });
}

export const noApps: EcosystemRule = {
  code: "ECOSYSTEM_APPS_MISSING",
  severity: "error",
  check: ({ file }) => noAppFindings(file),
};

/** A plan refuses a file without a list of apps, which is hardly meant. An empty list may follow the last app. */
export function missingListIssues(file: EcosystemFile): Issue[] {
  const { code, severity } = noApps;
  return file.loaded?.found === "nothing"
    ? noAppFindings(file).map((finding) => toIssue({ ...finding, code, severity }))
    : [];
}

function noAppFindings({ fileName, loaded }: EcosystemFile): Finding[] {
  if (loaded === undefined || loaded.apps.length > 0 || loaded.appsElsewhere) return [];
  const why = loaded.found === "nothing" ? 'it exports no "apps"' : `"${loaded.found}" is empty`;
  return [{ message: `${fileName} declares no app: ${why}` }];
}
