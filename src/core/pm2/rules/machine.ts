import type { Finding } from "../../findings/rule.ts";
import type { CheckedApp, EcosystemRule } from "./rule.ts";

export const scripts: EcosystemRule = {
  code: "ECOSYSTEM_SCRIPT_MISSING",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, normal, places }): Finding[] => {
      if (normal.script !== "" && places.hasScript) return [];
      const why = normal.script === "" ? "no script is given" : `there is no script ${places.script}`;
      return [{ path: ["apps", index, "script"], message: `${label}: ${why}` }];
    }),
};

export const folders: EcosystemRule = {
  code: "ECOSYSTEM_CWD_MISSING",
  severity: "error",
  check: ({ apps }) =>
    apps
      .filter(({ places }) => !places.hasCwd)
      .map(({ index, label, places }) => ({
        path: ["apps", index, "cwd"],
        message: `${label}: there is no folder ${places.cwd}`,
      })),
};

export const missingEnvFiles: EcosystemRule = {
  code: "ECOSYSTEM_ENV_FILE_MISSING",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap((app) =>
      app.places.envFiles
        .filter(({ given, exists, isOptional }) => !exists && !isOptional && !isRelative(app, given))
        .map(({ path }) => envFileFinding(app, `there is no env file ${path}`)),
    ),
};

export const relativeEnvFiles: EcosystemRule = {
  code: "ECOSYSTEM_ENV_FILE_RELATIVE",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap((app) =>
      app.places.envFiles
        .filter(({ given }) => isRelative(app, given))
        .map(({ given }) =>
          envFileFinding(
            app,
            `--env-file=${given} is relative; in cluster mode it is looked for from the folder of PM2's daemon; give an absolute path`,
          ),
        ),
    ),
};

export const unusableLogs: EcosystemRule = {
  code: "ECOSYSTEM_LOG_UNUSABLE",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, checks }) =>
      (checks?.logs ?? []).map(({ field, path, reason }) => ({
        path: ["apps", index, field],
        message: `${label}: PM2 cannot write ${path}: ${reason}`,
      })),
    ),
};

export const instancesAboveCores: EcosystemRule = {
  code: "ECOSYSTEM_INSTANCES_CORES",
  severity: "warning",
  check: ({ apps, cpuCores }) =>
    apps.flatMap(({ index, label, normal, declared, checks }): Finding[] => {
      const cores = Math.max(1, Math.ceil(checks?.cpuQuota ?? Number.POSITIVE_INFINITY));
      const limit = Math.min(cores, cpuCores);
      if (declared.instances <= limit || declared.execMode !== "cluster") return [];
      const given = normal.instances === 0 ? "max" : (normal.instances ?? declared.instances);
      const message = `${label}: instances: ${given} makes ${declared.instances} processes, and the app may use ${limit} ${limit === 1 ? "core" : "cores"} here`;
      return [{ path: ["apps", index, "instances"], message }];
    }),
};

function isRelative({ declared }: CheckedApp, path: string): boolean {
  return declared.execMode === "cluster" && !path.startsWith("/");
}

function envFileFinding({ index, label }: CheckedApp, problem: string): Finding {
  return { path: ["apps", index, "interpreter_args"], message: `${label}: ${problem}` };
}
