import type { Finding } from "../../findings/rule.ts";
import { appRule, type CheckedApp, type EcosystemRule } from "./rule.ts";

export const scripts = appRule({
  code: "ECOSYSTEM_SCRIPT_MISSING",
  severity: "error",
  *check({ normal: { script }, places }) {
    if (script === "") yield { path: ["script"], message: "no script is given" };
    else if (!places.hasScript) yield { path: ["script"], message: `there is no script ${places.script}` };
  },
});

export const folders = appRule({
  code: "ECOSYSTEM_CWD_MISSING",
  severity: "error",
  *check({ places }) {
    if (!places.hasCwd) yield { path: ["cwd"], message: `there is no folder ${places.cwd}` };
  },
});

export const missingEnvFiles = appRule({
  code: "ECOSYSTEM_ENV_FILE_MISSING",
  severity: "error",
  check: (app) =>
    app.places.envFiles
      .filter(({ given, exists, isOptional }) => !exists && !isOptional && !isRelative(app, given))
      .map(({ path }) => ({ path: ["interpreter_args"], message: `there is no env file ${path}` })),
});

export const relativeEnvFiles = appRule({
  code: "ECOSYSTEM_ENV_FILE_RELATIVE",
  severity: "error",
  check: (app) =>
    app.places.envFiles
      .filter(({ given }) => isRelative(app, given))
      .map(({ given }) => ({
        path: ["interpreter_args"],
        message: `--env-file=${given} is relative; in cluster mode it is looked for from the folder of PM2's daemon; give an absolute path`,
      })),
});

export const unusableLogs = appRule({
  code: "ECOSYSTEM_LOG_UNUSABLE",
  severity: "error",
  check: ({ checks }) =>
    (checks?.logs ?? []).map(({ field, path, reason }) => ({
      path: [field],
      message: `PM2 cannot write ${path}: ${reason}`,
    })),
});

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
