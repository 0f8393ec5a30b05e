import type { CheckedApp, EcosystemRule, Finding } from "../rule.ts";

export const scripts: EcosystemRule = ({ apps }) =>
  apps.flatMap(({ index, label, normal, places }): Finding[] => {
    const path = ["apps", index, "script"];
    if (normal.script === "")
      return [{ code: "ECOSYSTEM_SCRIPT_MISSING", path, message: `${label}: no script is given` }];
    if (places.hasScript) return [];
    return [{ code: "ECOSYSTEM_SCRIPT_MISSING", path, message: `${label}: there is no script ${places.script}` }];
  });

export const folders: EcosystemRule = ({ apps }) =>
  apps
    .filter(({ places }) => !places.hasCwd)
    .map(({ index, label, places }) => ({
      code: "ECOSYSTEM_CWD_MISSING",
      path: ["apps", index, "cwd"],
      message: `${label}: there is no folder ${places.cwd}`,
    }));

/** In cluster mode Node.js looks for a relative env file from the folder of PM2's daemon. */
export const envFiles: EcosystemRule = ({ apps }) => apps.flatMap(envFileFindings);

function envFileFindings({ index, label, declared, places }: CheckedApp): Finding[] {
  return places.envFiles.flatMap(({ given, path: file, exists, isOptional }): Finding[] => {
    const path = ["apps", index, "interpreter_args"];
    if (declared.execMode === "cluster" && !given.startsWith("/")) {
      const message = `${label}: --env-file=${given} is relative; in cluster mode it is looked for from the folder of PM2's daemon; give an absolute path`;
      return [{ code: "ECOSYSTEM_ENV_FILE_RELATIVE", path, message }];
    }
    if (exists || isOptional) return [];
    return [{ code: "ECOSYSTEM_ENV_FILE_MISSING", path, message: `${label}: there is no env file ${file}` }];
  });
}
