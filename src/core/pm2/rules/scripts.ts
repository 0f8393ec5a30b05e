import type { Finding } from "../../findings/rule.ts";
import type { CheckedApp, EcosystemRule } from "./rule.ts";

export const commandLines: EcosystemRule = {
  code: "ECOSYSTEM_SCRIPT_SPACE",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, normal, checks }): Finding[] => {
      const line = checks?.commandLine;
      if (!line) return [];
      const text = JSON.stringify(normal.declaredScript);
      const finding = (message: string, severity: "error" | "warning"): Finding[] => [
        { path: ["apps", index, "script"], message: `${label}: ${message}`, severity },
      ];
      if (line.isFile) return finding(`PM2 runs bash -c ${text}, and bash splits the path at its spaces`, "error");
      if (!line.hasProgram)
        return finding(`PM2 runs bash -c ${text}, and bash finds no program ${line.program}; use args`, "error");
      return finding(
        `PM2 runs bash -c ${text}; with script and args apart, no shell is between PM2 and the app`,
        "warning",
      );
    }),
};

const NODE_PROGRAM = /^node(?:js)?$/;

export const foreignScripts: EcosystemRule = {
  code: "ECOSYSTEM_SCRIPT_NOT_NODE",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap((app): Finding[] => {
      const program = foreignProgram(app);
      if (program === undefined || app.normal.isCommandLine) return [];
      const { index, label, places, declared } = app;
      const mode =
        declared.execMode === "cluster" ? "In cluster mode PM2 runs it with Node.js" : "PM2 runs it with Node.js";
      const message = `${label}: ${places.script} is written for ${program}. ${mode}, which cannot read it; name a JavaScript file${declared.execMode === "cluster" ? ' or use exec_mode: "fork"' : ' or set interpreter: "none"'}`;
      return [{ path: ["apps", index, "script"], message }];
    }),
};

function foreignProgram({ places, declared, checks }: CheckedApp): string | undefined {
  if (checks === undefined || !places.hasScript) return undefined;
  const isCluster = declared.execMode === "cluster";
  if (!isCluster && !/(?:^|\/)node$/.test(places.interpreter)) return undefined;
  if (checks.shebang !== "") return NODE_PROGRAM.test(checks.shebang) ? undefined : checks.shebang;
  if (!isCluster) return undefined;
  if (places.interpreter === "none") return "no interpreter";
  return /^(?:bash|python3?|ruby|php|perl)$/.test(places.interpreter) ? places.interpreter : undefined;
}

/** Programs that start the app as their child. */
const WRAPPERS =
  /(?:^|\/)(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack|npm-cli|npx-cli|nodemon|concurrently|cross-env|dotenv|env-cmd|turbo|nx|lerna|forever)(?:\.[cm]?js)?$/;

export const clusterWrappers: EcosystemRule = {
  code: "ECOSYSTEM_CLUSTER_WRAPPER",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, normal, declared }): Finding[] => {
      if (declared.execMode !== "cluster" || !WRAPPERS.test(normal.script)) return [];
      const isAlone = declared.instances < 2;
      const what = isAlone ? "a reload restarts its server" : `its ${declared.instances} servers cannot share a port`;
      const message = `${label}: in cluster mode, ${normal.script} itself becomes the worker, so ${what}; name the server's JavaScript file or use exec_mode: "fork"`;
      return [{ path: ["apps", index, "exec_mode"], message, severity: isAlone ? "warning" : "error" }];
    }),
};

export const notExecutable: EcosystemRule = {
  code: "ECOSYSTEM_SCRIPT_NOT_EXECUTABLE",
  severity: "error",
  check: ({ apps }) =>
    apps
      .filter(({ places, declared, checks }) => {
        const isDirect = places.interpreter === "none" && declared.execMode === "fork";
        return isDirect && places.hasScript && checks?.isExecutable === false;
      })
      .map(({ index, label, places }) => ({
        path: ["apps", index, "script"],
        message: `${label}: ${places.script} may not be executed, and there is no interpreter for it`,
      })),
};

export const serveArguments: EcosystemRule = {
  code: "ECOSYSTEM_SERVE_ARGUMENTS",
  severity: "error",
  check: ({ apps }) =>
    apps
      .filter(({ normal }) => normal.script === "serve" && normal.args.length > 0)
      .map(({ index, label }) => ({
        path: ["apps", index, "args"],
        message: `${label}: PM2 runs its own file server for "serve", which ignores args; set PM2_SERVE_PATH and PM2_SERVE_PORT in env`,
      })),
};
