import { join } from "node:path";
import { expect, test } from "vitest";
import { ecosystemCheck, execute, nodePorts } from "../../../../src/core/index.ts";
import { makeWorkspace } from "../../../support/workspace.ts";
import { longTest } from "../../../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;

/** `<code> <path>` of every issue of a file whose app runs `a.js`. */
async function issues(text: string, name = "ecosystem.dev.config.cjs"): Promise<string[]> {
  const { root } = makeWorkspace({ [`pm2/${name}`]: text, "a.js": "", "deployments.yaml": "" });
  const ports = nodePorts({ root, cwd: root, env: { PATH: process.env["PATH"], PM2_HOME: join(root, ".pm2") } });
  const checked = await execute(ecosystemCheck, ports, { environment: "dev" }, caller);
  return checked.issues.map(({ code, path }) => [code, ...path].join(" "));
}

const app = (fields: object): string =>
  `module.exports = { apps: [${JSON.stringify({ name: "one", script: "./a.js", ...fields })}] };`;

test("every field with a type that PM2 refuses is reported", async () => {
  expect(await issues(app({ min_uptime: 10 }))).toEqual(["ECOSYSTEM_FIELD_TYPE apps 0 min_uptime"]);
  expect(await issues(app({ maxRestarts: -1, autorestart: "no" }))).toEqual([
    "ECOSYSTEM_FIELD_TYPE apps 0 autorestart",
    "ECOSYSTEM_FIELD_TYPE apps 0 maxRestarts",
  ]);
  expect(await issues(app({ min_uptime: "10s", max_memory_restart: "300M" }))).toEqual([]);
});

test("a field of an app beside the apps is reported", async () => {
  const beside = (more: string): string => `module.exports = { apps: [{ name: "one", script: "./a.js" }], ${more} };`;
  expect(await issues(beside('name: "shop", deploy: {}, ignore_watch: ["uploads"], env: { PAGE_SIZE: "20" }'))).toEqual(
    ["ECOSYSTEM_FIELD_UNKNOWN env", "ECOSYSTEM_FIELD_UNKNOWN ignore_watch"],
  );
});

longTest("env_file is reported as a field that PM2 ignores", async () => {
  expect(await issues(app({ env_file: ".env" }))).toEqual(["ECOSYSTEM_FIELD_UNKNOWN apps 0 env_file"]);
  expect(await issues(app({ envFile: ".env" }))).toEqual(["ECOSYSTEM_FIELD_UNKNOWN apps 0 envFile"]);
});

test("a Unix socket is as good as a port, and other texts are not", async () => {
  const listening = (PORT: string): string => app({ env: { PORT }, kill_timeout: 6000 });
  for (const path of ["/run/shop.sock", "./shop.sock"]) expect(await issues(listening(path))).toEqual([]);
  expect(await issues(listening("shop"))).toEqual(["ECOSYSTEM_PORT_INVALID apps 0 env PORT"]);
});

test("a folder is a script if Node.js finds its entry file, which is not so in a package of ES modules", async () => {
  const started = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    const { root } = makeWorkspace({ "pm2/ecosystem.dev.config.cjs": app({ script: "./src" }), ...files });
    const ports = nodePorts({ root, cwd: root, env: { PATH: process.env["PATH"], PM2_HOME: join(root, ".pm2") } });
    const { issues: found } = await execute(ecosystemCheck, ports, { environment: "dev" }, caller);
    return found.map(({ message }) => message.replace(root, "<root>"));
  };
  expect(await started({ "src/index.js": "" })).toEqual([]);
  expect(await started({ "src/a.js": "", "src/package.json": '{ "main": "a.js" }' })).toEqual([]);
  expect(await started({ "src/a.js": "" })).toEqual([
    "one: <root>/src is a folder, and Node.js finds no entry file in it, such as index.js; name its file",
  ]);
  expect(await started({ "src/index.js": "", "package.json": '{ "type": "module" }' })).toEqual([
    'one: <root>/src is a folder, and a package.json above it has "type": "module", so PM2 imports it; name its file',
  ]);
});

test("a server for static files is an app, also if it is the only one", async () => {
  expect(await issues("module.exports = { static: [{ port: 8080, path: './public' }] };")).toEqual([]);
});

test("a TypeScript file is reported because PM2 would run it as a script", async () => {
  expect(await issues("export default {}", "ecosystem.dev.config.ts")).toEqual(["ECOSYSTEM_FILE_NAME"]);
});

test("CommonJS in a package of ES modules is reported, because PM2 cannot load it", async () => {
  const text = "module.exports = { apps: [] };";
  const { root } = makeWorkspace({ "pm2/ecosystem.dev.config.js": text, "package.json": '{ "type": "module" }' });
  const ports = nodePorts({ root, cwd: root, env: { PM2_HOME: join(root, ".pm2") } });
  const checked = execute(ecosystemCheck, ports, { environment: "dev" }, caller);
  await expect(checked).rejects.toMatchObject({ body: { code: "ECOSYSTEM_FILE_ES_MODULE" } });
});

longTest("an interpreter other than Node.js in cluster mode is reported, because PM2 ignores it", async () => {
  const expected = ["ECOSYSTEM_CLUSTER_INTERPRETER apps 0 interpreter"];
  expect(await issues(app({ exec_mode: "cluster", interpreter: "/bin/sh" }))).toEqual(expected);
  expect(await issues(app({ exec_mode: "cluster", interpreter: process.execPath }))).toEqual([]);
  expect(await issues(app({ exec_mode: "fork", interpreter: "sh" }))).toEqual([]);
});

test.each([
  [{ exec_mode: "cluster", node_args: "--import tsx" }, 1],
  [{ exec_mode: "cluster", interpreter_args: ["-r", "./trace.cjs", "--require=dotenv/config"] }, 2],
  [{ exec_mode: "cluster", node_args: "-r /srv/trace.cjs --import file:///srv/a.mjs --import=node:test" }, 0],
  [{ exec_mode: "fork", node_args: "--import tsx" }, 0],
])("a module that Node.js loads first in cluster mode needs an absolute path: %j", async (fields, count) => {
  const expected = Array.from({ length: count }, () => "ECOSYSTEM_PRELOAD_RELATIVE apps 0 interpreter_args");
  expect(await issues(app(fields))).toEqual(expected);
});
