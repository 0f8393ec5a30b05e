/** Compares svcm's interpretation of an app with that of the installed PM2, which runs in a separate process. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ecosystemLoader } from "../../../src/core/pm2/loader/index.ts";
import { declaredApps } from "../../../src/core/pm2/declared.ts";
import { pm2FileKind, type Data } from "../../../src/core/pm2/loaded.ts";
import { declaredSettings, recordedSettings } from "../../../src/core/pm2/settings.ts";
import { isPm2Field, expectedType } from "../../../src/core/pm2/pm2-fields.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { longTest } from "../../support/runs.ts";

const require = createRequire(import.meta.url);
const CORES = 3;

/** Runs PM2's own preparation of an app, up to the call to its daemon. */
const ASK_PM2 = `
const Common = require(${JSON.stringify(require.resolve("pm2/lib/Common.js"))});
const seen = [...process.argv].at(-1);
const config = require(seen);
const appConf = require(${JSON.stringify(require.resolve("pm2/lib/Common.js"))}).verifyConfs(config.apps);
// Two steps of PM2's API._startJson, copied.
const source = require("node:fs").readFileSync(${JSON.stringify(require.resolve("pm2/lib/API.js"))}, "utf8");
const [added] = /staticConf\\.forEach[^]*?\\n    \\}\\);/.exec(source);
const path = { resolve: (_folder, ...rest) => require("node:path").join(${JSON.stringify(require.resolve("pm2/lib/API.js"))}, "..", ...rest) };
new Function("staticConf", "appConf", "path", "__dirname", added)(config.static, appConf, path, "");
const answers = appConf.map((app) => {
  const own = Object.keys(Object.assign({}, app.env));
  const conf = JSON.parse(JSON.stringify(app));
  conf.namespace = conf.namespace || "default";
  try { var as = Common.resolveAppAttributes({ cwd: process.cwd() }, conf); } catch (error) { return { error: error.message }; }
  const merged = Common.mergeEnvironmentVariables(as, undefined, {});
  for (const key of Object.keys(process.env)) if (!own.includes(key)) delete merged[key];
  delete merged.current_conf;
  return { ...as, env: merged };
});
process.stdout.write("\\n" + JSON.stringify(answers));
`;

const apps: readonly object[] = [
  { script: "./build/a.js" },
  { name: "named", script: "build/a.js", interpreter: "node", node_args: "--enable-source-maps --title='a b'" },
  { name: "list", script: "build/a.js", interpreter_args: ["--a", "b c"], args: ["x", "y z"] },
  { name: "camel", script: "build/a.js", interpreterArgs: "--a", execMode: "cluster" },
  { name: "text", script: "build/a.js", args: `--name="a b" --x='y' "z w" plain` },
  { name: "max", script: "build/a.js", instances: "max" },
  { name: "zero", script: "build/a.js", instances: 0 },
  { name: "one", script: "build/a.js", instances: 1 },
  { name: "two", script: "build/a.js", instances: "2", exec_mode: "fork" },
  { name: "minus", script: "build/a.js", instances: -1 },
  { name: "minus-two", script: "build/a.js", instances: -2 },
  { name: "cluster", script: "build/a.js", exec_mode: "cluster_mode", instances: 4 },
  { name: "shell", script: "build/b.sh", instances: 2 },
  { name: "words", script: "echo hello there" },
  { script: "build/with.dots.cjs" },
  { name: "cmd", cmd: "build/a.js" },
  { command: "build/a.js" },
  { name: "command-in-path", script: "sh" },
  { name: "elsewhere", script: "a.js", cwd: "./build" },
  { name: "watch", script: "build/a.js", watch: ["x", "y"], namespace: "ns" },
  { name: "watch-all", script: "build/a.js", watch: true },
  { name: "execute", script: "build/a.js", execute_command: true, instances: 2 },
  { name: "port", script: "build/a.js", port: 3100, env: { A: 1, B: true, C: { d: [1] }, D: null, E: "text" } },
  { name: "block", script: "build/a.js", env: { A: "1" }, env_production: { A: "2" } },
  { name: "exec", exec: "build/a.js" },
  { name: "empty-alias", script: "build/a.js", node_args: "", interpreter_args: "--x" },
  { name: "none", script: "build/a.js", interpreter: "none" },
  { name: "snake", script: "build/c.py" },
  { name: "python", script: "build/a.js", interpreter: "python3", env: { A: "1" } },
  { name: "limits", script: "build/a.js", max_memory_restart: "300M", min_uptime: "10s", kill_timeout: "5000" },
  { name: "more limits", script: "build/a.js", maxMemoryRestart: 500, max_restarts: 0, exp_backoff_restart_delay: 100 },
  {
    name: "switches",
    script: "build/a.js",
    autorestart: false,
    treekill: false,
    wait_ready: true,
    listen_timeout: 9000,
  },
  { name: "times", script: "build/a.js", time: true, cron: "0 4 * * *", restartDelay: 5, shutdown_with_message: true },
  { name: "codes", script: "build/a.js", stop_exit_codes: [0, 2], min_uptime: 5000, cron_restart: "0 5 * * *" },
  { name: "code", script: "build/a.js", stop_exit_codes: 3, log_date_format: "YYYY" },
  { name: "a/b c", script: "build/a.js", out_file: "./logs/o-7.log", error: "/dev/null", log: true },
  { name: "logs", script: "a.js", cwd: "./build", out: "NULL", err_log: "e.txt", log_file: "all.log" },
];

const servers: readonly object[] = [
  { port: 8080, path: "./public" },
  { name: "site", port: "8081", path: "/srv", spa: true, basic_auth: { username: "u", password: "p" } },
  { name: "guarded", port: 8082, basic_auth: {} },
];

interface Prepared {
  readonly error?: string;
  readonly name: string;
  readonly pm_exec_path: string;
  readonly pm_cwd: string;
  readonly exec_interpreter: string;
  readonly node_args: readonly string[];
  readonly args?: readonly string[];
  readonly instances: number;
  readonly exec_mode: string;
  readonly watch?: boolean | readonly string[] | string;
  readonly namespace: string;
  readonly env: Readonly<Record<string, unknown>>;
}

test("an app is declared as PM2 would run it", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "build"));
  for (const name of ["a.js", "b.sh", "c.py", "with.dots.cjs"]) writeFileSync(join(root, "build", name), "\n");
  chmodSync(join(root, "build/b.sh"), 0o755);
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin/python3"), "");
  chmodSync(join(root, "bin/python3"), 0o755);
  const file = join(root, "ecosystem.dev.config.cjs");
  writeFileSync(file, `module.exports = ${JSON.stringify({ apps, static: servers })}`);
  const env = {
    PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
    PM2_HOME: join(root, ".pm2"),
    PM2_PROGRAMMATIC: "true",
  };

  const output = execFileSync(process.execPath, ["-e", ASK_PM2, file], { cwd: root, env, encoding: "utf8" });
  const prepared = JSON.parse(output.slice(output.lastIndexOf("\n"))) as Prepared[];
  const loaded = await ecosystemLoader({ root, env }).load(file);
  const ours = declaredApps(loaded, { cpuCores: CORES });
  const settings = loaded.apps.map(({ fields }, index) => {
    const { name = "", cwd = "" } = ours[index] ?? {};
    return declaredSettings(fields, { name, cwd, pm2Home: join(root, ".pm2") }, (text) => text);
  });

  expect(prepared.filter(({ error }) => error !== undefined)).toEqual([]);
  const declaresCwd = loaded.apps.map(({ fields }) => fields["cwd"] !== undefined);
  expect(ours).toEqual(
    prepared.map((app, index) => ({ ...asDeclared(app), declaresCwd: declaresCwd[index] === true })),
  );
  expect(settings).toEqual(prepared.map((app) => recordedSettings({ ...app }, (text) => text)));
});

/** PM2's daemon counts the instances: `lib/God.js`, `prepare`. */
function instancesOf(instances: number): number {
  return instances === 0 ? CORES : Math.max(1, instances < 0 ? instances + CORES : instances);
}

function asDeclared(app: Prepared): object {
  return {
    name: app.name,
    script: app.pm_exec_path,
    cwd: app.pm_cwd,
    interpreter: app.exec_interpreter === process.execPath ? "node" : app.exec_interpreter,
    interpreterArgs: app.node_args,
    args: app.args ?? [],
    instances: instancesOf(app.instances),
    execMode: app.exec_mode.replace("_mode", ""),
    watch: app.watch ?? false,
    namespace: app.namespace,
    env: Object.fromEntries(Object.entries(app.env).map(([key, value]) => [key, String(value)])),
  };
}

test.each([
  [
    "yaml",
    "base: &base { script: a.js, instances: 2 }\napps:\n  - <<: *base\n    name: a\n    env: { A: yes, B: 010, C: 1e3, D: ~, E: 'x' }",
  ],
  ["yml", "apps:\n  - { name: a, script: a.js, env: { A: on, B: 0x1f, C: 1_000, D: 12:30, E: .5 } }\n"],
  ["json", "{ apps: [{ name: 'a', script: `a${1 + 1}.js`, env: { A: undefined, B: 1 / 4 } }], /* c */ }"],
  ["cjs", "module.exports = { apps: [{ name: 'a', script: 'a.js', env: { A: 1 } }] };"],
  ["mjs", "export const apps = [{ name: 'a', script: 'a.js', min_uptime: 10 }];"],
])("%s is read as PM2 reads it: %s", async (ending, text) => {
  const root = temporaryFolder();
  const file = join(root, `ecosystem.dev.config.${ending}`);
  writeFileSync(file, text);
  const { apps: ours } = await ecosystemLoader({ root, env: {} }).load(file);
  const theirs = JSON.parse(JSON.stringify(parsedByPm2(text, file).apps)) as object[];
  expect(ours.map(({ fields }) => fields)).toEqual(theirs);
});

test.each([
  ["a .mjs file", "ecosystem.dev.config.mjs", {}],
  ["a .js file of a package of ES modules", "ecosystem.dev.config.js", { "package.json": '{ "type": "module" }' }],
])("PM2 finds no app in the default export of %s, and the load reports it", async (_, name, beside) => {
  const root = temporaryFolder();
  const text = "export default { apps: [{ name: 'a', script: 'a.js' }] };";
  for (const [file, content] of Object.entries({ ...beside, [name]: text })) writeFileSync(join(root, file), content);
  const loaded = await ecosystemLoader({ root, env: {} }).load(join(root, name));
  expect(parsedByPm2(text, join(root, name)).apps).toBeUndefined();
  expect([loaded.isDefaultExport, loaded.apps.length]).toEqual([true, 1]);
});

function parsedByPm2(text: string, file: string): { readonly apps?: object[] } {
  const { parseConfig } = require("pm2/lib/Common.js") as {
    parseConfig: (text: string, file: string) => { readonly apps?: object[] };
  };
  return parseConfig(text, file);
}

test("a path has the kind that PM2 assigns to it", () => {
  const { isConfigFile } = require("pm2/lib/Common.js") as { isConfigFile: (path: string) => string | null };
  const names = [
    "ecosystem.dev.config.cjs",
    "e.config.js",
    "e.config.mjs",
    "e.json",
    "e.yml",
    "e.yaml",
    "e.cjs",
    "e.js",
  ];
  const folders = ["/srv", "/srv/app.json", "/srv/x.yaml.d", "/srv/a.config.js-old"];
  for (const path of folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))) {
    expect({ path, kind: pm2FileKind(path) ?? null }).toEqual({ path, kind: isConfigFile(path) });
  }
});

const samples: readonly Data[] = [
  "text",
  "5",
  "max",
  "-1",
  "cluster",
  "fork_mode",
  "10s",
  "300M",
  "1h",
  true,
  5,
  50,
  100,
  -1,
  ["a"],
  {},
  { a: 1 },
];

longTest("every field that PM2 knows is known, with its type", () => {
  const config = require("pm2/lib/tools/Config.js") as {
    schema: Record<string, { alias?: string[] }>;
    validateJSON: (app: object) => { errors: string[] };
  };
  const fields = Object.entries(config.schema).flatMap(([name, { alias = [] }]) => [name, ...alias]);
  const plain = fields.filter((name) => !name.includes("\\"));
  const isRefused = (field: string, value: Data): boolean =>
    config.validateJSON({ script: "a.js", ...(field !== "exec" && { [field]: value }) }).errors.length > 0;
  // PM2 converts some of these values before it checks their types; svcm requires an object for `env`.
  const judged = plain.filter((name) => !["script", "exec", "instances", "env"].includes(name));
  const different = judged.flatMap((field) =>
    samples
      .filter((value) => isRefused(field, value) !== (expectedType(field, value) !== undefined))
      .map((value) => `${field}: ${JSON.stringify(value)}`),
  );
  expect(different).toEqual([]);
  expect(plain.filter((name) => !isPm2Field(name))).toEqual([]);
  expect(["maxMemoryRestart", "env_production", "cmd", "time"].filter((name) => !isPm2Field(name))).toEqual([]);
  expect(["intances", "env_file", "autoRestarts", "script_path"].filter(isPm2Field)).toEqual(["env_file"]);
});
