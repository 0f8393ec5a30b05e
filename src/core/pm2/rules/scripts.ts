import { fieldNames, firstValue, preloadOptions } from "../normalise.ts";
import { appRule, type CheckedApp, type EcosystemRule } from "./rule.ts";
import type { Finding } from "../../findings/rule.ts";

export const commandLines = appRule({
  code: "ECOSYSTEM_SCRIPT_SPACE",
  severity: "error",
  *check({ normal, checks }) {
    const line = checks?.commandLine;
    if (!line) return;
    const text = JSON.stringify(normal.declaredScript);
    const path = ["script"];
    if (line.isFile) yield { path, message: `PM2 runs bash -c ${text}, and bash splits the path at its spaces` };
    else if (!line.hasProgram)
      yield { path, message: `PM2 runs bash -c ${text}, and bash finds no program ${line.program}; use args` };
    else {
      const message = `PM2 runs bash -c ${text}; with script and args apart, no shell is between PM2 and the app`;
      yield { path, message, severity: "warning" };
    }
  },
});

const NODE_PROGRAM = /^node(?:js)?$/;

export const foreignScripts = appRule({
  code: "ECOSYSTEM_SCRIPT_NOT_NODE",
  severity: "error",
  *check(app) {
    const program = foreignProgram(app);
    if (program === undefined || app.normal.isCommandLine) return;
    const isCluster = app.declared.execMode === "cluster";
    const mode = isCluster ? "In cluster mode PM2 runs it with Node.js" : "PM2 runs it with Node.js";
    const advice = isCluster ? 'use exec_mode: "fork"' : 'set interpreter: "none"';
    const message = `${app.places.script} is written for ${program}. ${mode}, which cannot read it; name a JavaScript file or ${advice}`;
    yield { path: ["script"], message };
  },
});

function foreignProgram({ places, declared, checks }: CheckedApp): string | undefined {
  if (checks === undefined || !places.hasScript) return undefined;
  const isCluster = declared.execMode === "cluster";
  if (!isCluster && !/(?:^|\/)node$/.test(places.interpreter)) return undefined;
  if (checks.shebang !== "") return NODE_PROGRAM.test(checks.shebang) ? undefined : checks.shebang;
  if (!isCluster) return undefined;
  if (places.interpreter === "none") return "no interpreter";
  return /^(?:bash|python3?|ruby|php|perl)$/.test(places.interpreter) ? places.interpreter : undefined;
}

/** Programs that start the app as their child. In cluster mode, the worker is such a program, and not the server. */
export const WRAPPERS =
  /(?:^|\/)(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack|npm-cli|npx-cli|nodemon|concurrently|cross-env|dotenv|env-cmd|turbo|nx|lerna|forever)(?:\.[cm]?js)?$/;

export const clusterWrappers = appRule({
  code: "ECOSYSTEM_CLUSTER_WRAPPER",
  severity: "error",
  *check({ normal, declared }) {
    if (declared.execMode !== "cluster" || !WRAPPERS.test(normal.script)) return;
    const isAlone = declared.instances < 2;
    const what = isAlone ? "a reload restarts its server" : `its ${declared.instances} servers cannot share a port`;
    const message = `in cluster mode, ${normal.script} itself becomes the worker, so ${what}; name the server's JavaScript file or use exec_mode: "fork"`;
    yield { path: ["exec_mode"], message, severity: isAlone ? "warning" : "error" };
  },
});

export const readyWrappers = appRule({
  code: "ECOSYSTEM_READY_WRAPPER",
  severity: "warning",
  *check({ normal, fields }) {
    const program = normal.isCommandLine ? (normal.declaredScript.trim().split(/\s/)[0] ?? "") : normal.script;
    if (firstValue(fields, fieldNames.waitReady) !== true || !WRAPPERS.test(program)) return;
    const message = `${program} starts the server as its child, which cannot send "ready" to PM2; remove wait_ready, or name the server's JavaScript file`;
    yield { path: ["wait_ready"], message };
  },
});

export const notExecutable = appRule({
  code: "ECOSYSTEM_SCRIPT_NOT_EXECUTABLE",
  severity: "error",
  *check({ places, declared, checks }) {
    const isDirect = places.interpreter === "none" && declared.execMode === "fork";
    if (isDirect && places.hasScript && checks?.isExecutable === false)
      yield { path: ["script"], message: `${places.script} may not be executed, and there is no interpreter for it` };
  },
});

export const serveArguments = appRule({
  code: "ECOSYSTEM_SERVE_ARGUMENTS",
  severity: "error",
  *check({ normal: { script, args } }) {
    if (script !== "serve" || args.length === 0) return;
    const message = `PM2 runs its own file server for "serve", which ignores args; set PM2_SERVE_PATH and PM2_SERVE_PORT in env`;
    yield { path: ["args"], message };
  },
});

export const scripts = appRule({
  code: "ECOSYSTEM_SCRIPT_MISSING",
  severity: "error",
  *check({ normal: { script }, places, checks }) {
    const problem = checks?.folderProblem ?? null;
    if (script === "") yield { path: ["script"], message: "no script is given" };
    else if (!places.hasScript) yield { path: ["script"], message: `there is no script ${places.script}` };
    else if (problem !== null)
      yield { path: ["script"], message: `${places.script} is a folder, and ${problem}; name its file` };
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

export const relativePreloads = appRule({
  code: "ECOSYSTEM_PRELOAD_RELATIVE",
  severity: "warning",
  check: (app) =>
    preloadOptions(app.normal.interpreterArgs)
      .filter(({ module }) => isRelative(app, module) && !/^(?:file|node|data):/.test(module))
      .map(({ option, module }) => ({
        path: ["interpreter_args"],
        message: `${option} ${module} is looked for from the folder of PM2's daemon in cluster mode, for example from / after a reboot; give an absolute path or use exec_mode: "fork"`,
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
