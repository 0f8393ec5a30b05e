import { ecosystemFileNames, pm2FileKind } from "../file-name.ts";
import type { EcosystemRule } from "../rule.ts";

/** PM2 looks for its endings anywhere in the path: a folder `app.json` makes JSON of everything below. */
export const fileKind: EcosystemRule = ({ file: { path, fileName, loaded } }) => {
  const [taken, meant] = [pm2FileKind(path), pm2FileKind(fileName)];
  if (loaded === undefined || taken === meant) return [];
  const message = `PM2 takes ${path} for ${taken === undefined ? "a script" : taken.toUpperCase()}, by a part of its path; rename the folder`;
  return [{ code: "ECOSYSTEM_FILE_KIND", message }];
};

/** A file that is named almost like the ecosystem file: PM2 would run it as a script and call it online. */
export const fileName: EcosystemRule = ({ file: { name, loaded }, listed }) => {
  const [suggestion] = ecosystemFileNames(name);
  const isNear = (entry: string): boolean =>
    entry.toLowerCase().startsWith(`ecosystem.${name}.`) && /\.[cm]?[jt]s$/.test(entry);
  return listed
    .filter((entry) => isNear(entry) && pm2FileKind(entry) === undefined)
    .map((entry) => ({
      code: "ECOSYSTEM_FILE_NAME",
      severity: loaded === undefined ? "error" : "warning",
      message: `${entry}: PM2 would run it as a script, since its name has no .config.cjs`,
      suggestion,
    }));
};

export const shadowed: EcosystemRule = ({ file, listed }) =>
  ecosystemFileNames(file.name)
    .filter((name) => name !== file.fileName && listed.includes(name))
    .map((name) => ({
      code: "ECOSYSTEM_FILE_SHADOWED",
      severity: "warning",
      message: `${name} is not read: ${file.fileName} comes first; remove one of them`,
    }));

export const defaultExport: EcosystemRule = ({ file: { fileName: name, loaded } }) =>
  loaded?.isDefaultExport === true
    ? [
        {
          code: "ECOSYSTEM_DEFAULT_EXPORT",
          message: `${name} exports its apps as default, where PM2 finds none; write: export const apps = [...]`,
        },
      ]
    : [];

export const noApps: EcosystemRule = ({ file: { fileName: name, loaded } }) => {
  if (loaded === undefined || loaded.apps.length > 0) return [];
  const why = loaded.found === "nothing" ? 'it exports no "apps"' : `"${loaded.found}" is empty`;
  return [{ code: "ECOSYSTEM_APPS_MISSING", message: `${name} declares no app: ${why}` }];
};
