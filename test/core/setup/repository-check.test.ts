/** One run and one report over a team's own shop. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  commandLineCaller,
  execute,
  nodePorts,
  projectDoctor,
  projectInit,
  repositoryCheck,
  SvcmError,
} from "../../../src/core/index.ts";
import { isPassed } from "../../../src/core/setup/operations/repository-check.ts";
import { makeRepository } from "../../support/git.ts";
import { makeWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();

const SVCM = `version: 1
environments: { dev: [] }
ecosystem: { dev: ecosystem.config.js }
env: { dev: .env }
template: .env.example
keys:
  PAGE_SIZE: { kind: number, tier: editable }
  DATABASE_URL: { kind: connection-url }
`;
const CODE =
  "require('dotenv').config(); process.env.PAGE_SIZE; process.env.DATABASE_URL; setInterval(() => {}, 1000);";
const GOOD = {
  "svcm.yaml": SVCM,
  "ecosystem.config.js": `module.exports = { apps: [{ name: "worker", script: "worker.js", kill_timeout: 5000 }] };`,
  "worker.js": CODE,
  ".env": "PAGE_SIZE=20\nDATABASE_URL=postgres://u:canary-secret@h/db\n",
  ".env.example": "PAGE_SIZE=\nDATABASE_URL=<your database>\n",
  "package.json": "{}",
};

async function check(workspace: TestWorkspace, paths: readonly string[] = []) {
  const { response } = await execute(repositoryCheck, workspace.ports, { paths: [...paths], strict: false }, caller);
  expect(JSON.stringify(response)).not.toContain("canary-secret");
  return { ...response, issues: response.issues.map(({ code, at }) => [code, at?.file]) };
}

test("a good repository passes, and the answer names every checked file", async () => {
  expect(await check(makeWorkspace(GOOD))).toEqual({
    passed: true,
    files: ["svcm.yaml", "ecosystem.config.js", ".env", ".env.example"],
    issues: [],
  });
});

test.each([
  ["nothing", {}, [["ENV_FILE_UNLOADED", ".env"]]],
  [
    "an option of Node.js",
    { "ecosystem.config.js": GOOD["ecosystem.config.js"].replace("kill", "node_args: '--env-file=.env', kill") },
    [],
  ],
  ["a dependency", { "package.json": '{"dependencies":{"@nestjs/config":"^4"}}' }, []],
  [
    "a script of another language, below the folders that a survey reads",
    { "a/b/c/d/e/f/start.sh": ". ./.env\nexec node w" },
    [],
  ],
])("an env file that %s loads", async (_what, files, expected) => {
  const code = "process.env.PAGE_SIZE; process.env.DATABASE_URL;";
  const workspace = makeWorkspace({ ...GOOD, "worker.js": code, ...files });
  expect((await check(workspace)).issues).toEqual(expected);
});

test.each([
  [".git/HEAD", "ref: refs/heads/main\n", []],
  ["pnpm-workspace.yaml", "packages: [apps/*, packages/*]\n", []],
  ["package.json", '{"workspaces":["apps/*","packages/*"]}', []],
  ["readme.txt", "", ["ENV_FILE_UNLOADED"]],
])("with %s above, a package beside the root of svcm.yaml may load its env file", async (marker, text, expected) => {
  const { "worker.js": _code, ...own } = GOOD;
  const files = { ...own, "worker.js": "require('@shop/config'); process.env.PAGE_SIZE; process.env.DATABASE_URL;" };
  const repository = makeWorkspace({
    [marker]: text,
    "packages/config/index.js": "require('dotenv').config();",
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`apps/shop/${name}`, content])),
  });
  const root = repository.path("apps/shop");
  const below = nodePorts({ root, env: { PM2_HOME: repository.ports.workspace.pm2Home }, cwd: root });
  const { response } = await execute(repositoryCheck, below, { paths: [], strict: false }, caller);
  expect(response.issues.map(({ code }) => code)).toEqual(expected);
});

test("a finding about one of several ecosystem files is placed in that file", async () => {
  const workspace = makeWorkspace({
    ...GOOD,
    "svcm.yaml": SVCM.replace("dev: ecosystem.config.js", "dev: [ecosystem.config.js, more.config.mjs]"),
    "more.config.mjs": 'export default { apps: [{ name: "more", script: "worker.js" }] };',
  });
  expect((await check(workspace)).issues).toContainEqual(["ECOSYSTEM_DEFAULT_EXPORT", "more.config.mjs"]);
});

test("services that are right by themselves are checked together, because one PM2 runs them", async () => {
  const service = (name: string): string => `  ${name}: { folder: ${name}, ecosystem: { dev: e.config.js } }`;
  const file = `module.exports = { apps: [{ name: "web", script: "web.js", kill_timeout: 5000 }] };`;
  const { passed, issues } = await check(
    makeWorkspace({
      "svcm.yaml": `version: 1\nenvironments: { dev: [] }\nservices:\n${service("a")}\n${service("b")}\n`,
      "package.json": "{}",
      ...Object.fromEntries(
        ["a", "b"].flatMap((name) => [
          [`${name}/e.config.js`, file],
          [`${name}/web.js`, ""],
        ]),
      ),
    }),
  );
  expect(passed).toBe(false);
  expect(issues).toEqual([["ECOSYSTEM_NAME_DUPLICATE", "b/e.config.js"]]);
});

test("a release that is gone is a finding, also if several services are checked together", async () => {
  const file = `module.exports = { apps: [{ name: "web", script: "web.js", kill_timeout: 5000 }] };`;
  const workspace = makeWorkspace({
    "svcm.yaml":
      "version: 1\nenvironments: { dev: [] }\nservices:\n  a: { folder: a, ecosystem: { dev: e.config.js } }\n  b: { folder: b, ecosystem: { dev: e.config.js } }\n",
    "a/e.config.js": file,
    "a/web.js": "",
    "b/e.config.js": file.replace('"web"', '"api"'),
    "b/web.js": "",
  });
  const gone = new SvcmError("DEPLOY_FAILED", { code: "RELEASE_GONE", details: "gone" });
  const deployed = { ...workspace.ports.deployed, world: () => Promise.reject(gone) };
  const ports = Object.create(workspace.ports, { deployed: { value: deployed } }) as typeof workspace.ports;
  const { response } = await execute(projectDoctor, ports, { version: "0", offline: false }, caller);
  expect(response.issues.map(({ code }) => code)).toContain("RELEASE_GONE");
});

test("one run finds an error of each kind of file", async () => {
  const workspace = makeWorkspace({
    ...GOOD,
    "ecosystem.config.js": `module.exports = { apps: [{ name: "worker", script: "worker.js", kill_timeout: 5000, max_memory_restart: "lots" }] };`,
    ".env": "PAGE_SIZE=viele\nDATABASE_URL=x\n",
    ".env.example": "PAGE_SIZE=twenty\nDATABASE_URL=\n",
    "deployments.yaml": "deployments:\n  - { name: api, deployTarget: mars }\n",
  });
  const { passed, files, issues } = await check(workspace);
  expect(passed).toBe(false);
  expect(files).toContain("deployments.yaml");
  const broken = new Set(issues.map(([, file]) => file));
  expect(broken).toEqual(new Set([".env", ".env.example", "deployments.yaml", "ecosystem.config.js"]));
  expect(issues.filter(([code]) => code === "ENV_VALUE_UNSUPPORTED")).toHaveLength(2);
});

test("a path limits the report, and a path that is not checked is refused", async () => {
  const workspace = makeWorkspace({ ...GOOD, ".env": "PAGE_SIZE=viele\nDATABASE_URL=x\n" });
  expect(await check(workspace, [".env.example"])).toMatchObject({ passed: true, files: [".env.example"], issues: [] });
  expect(await check(workspace, ["./.env"])).toMatchObject({
    passed: false,
    issues: [["ENV_VALUE_UNSUPPORTED", ".env"]],
  });
  expect((await check(workspace, ["."])).files).toHaveLength(4);
  await expect(check(workspace, ["worker.js"])).rejects.toMatchObject({ body: { code: "CHECK_PATH_UNKNOWN" } });
});

test("a svcm.yaml that is not valid is the finding, and the other files do not count as checked", async () => {
  const workspace = makeWorkspace({
    ...GOOD,
    "svcm.yaml": `${SVCM}colour: red\n`,
    "deployments.yaml": "deployments: []\n",
  });
  expect(await check(workspace)).toMatchObject({
    passed: false,
    files: ["svcm.yaml"],
    issues: [[expect.anything(), "svcm.yaml"]],
  });
});

test("PM2 files without svcm.yaml are an error, and an empty repository is refused", async () => {
  const { "svcm.yaml": _, ...rest } = GOOD;
  expect(await check(makeWorkspace(rest))).toMatchObject({
    passed: false,
    issues: [["PROJECT_NOT_SET_UP", undefined]],
  });
  const refusal = await check(makeWorkspace({ "index.js": "1" })).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SvcmError);
  expect(refusal).toMatchObject({ body: { code: "CHECK_NOTHING" } });
});

test("a warning fails only a strict check", () => {
  const warning = { code: "ENV_VALUE_HASH", severity: "warning", path: [], message: "" } as const;
  expect([isPassed([warning], false), isPassed([warning], true), isPassed([], true)]).toEqual([true, false, true]);
  expect(isPassed([warning, { ...warning, severity: "error" }], false)).toBe(false);
});

test("an env file with secrets that Git tracks, or does not ignore, is named by check and by init", async () => {
  const { "svcm.yaml": _project, ...files } = { ...GOOD, ".env.template": "PAGE_SIZE=\n" };
  const repository = makeRepository({ ...files, "README.md": "" });
  const told = async () => {
    const { found } = await execute(projectInit, repository.ports, { write: false, confirm: false }, caller);
    const { response } = await execute(repositoryCheck, repository.ports, { paths: [], strict: false }, caller);
    const codes = response.issues.map(({ code }) => code).filter((code) => code.startsWith("PROJECT_SECRET_"));
    return [found.notUnderstood.map(({ path, what }) => `${path}: ${what}`), codes];
  };
  expect(await told()).toEqual([[".env: Git tracks this file, and it holds DATABASE_URL"], ["PROJECT_SECRET_TRACKED"]]);
  repository.git("rm", "--quiet", "--cached", ".env");
  expect(await told()).toEqual([
    [".env: Git does not ignore this file, and it holds DATABASE_URL"],
    ["PROJECT_SECRET_NOT_IGNORED"],
  ]);
  repository.git("config", "core.excludesFile", "/dev/null");
  writeFileSync(`${repository.ports.workspace.root}/.gitignore`, ".env\n");
  expect(await told()).toEqual([[], []]);
});

test("check accepts a private key in quotes, which has several lines", async () => {
  const key = String.raw`PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\n<yours>\n-----END PRIVATE KEY-----\n"`;
  const project = SVCM.replace("keys:\n", "keys:\n  PRIVATE_KEY: { kind: secret }\n");
  const workspace = makeWorkspace({
    ...GOOD,
    "svcm.yaml": project,
    ".env.example": `${GOOD[".env.example"]}${key}\n`,
    ".env": `${GOOD[".env"]}${key}\n`,
    "worker.js": `${CODE} process.env.PRIVATE_KEY;`,
  });
  expect(await check(workspace)).toMatchObject({ passed: true, issues: [] });
});

test("a key counts as unused only if no file of any language, and no build, names it", async () => {
  const env = ["IN_SCHEMA=1", "IN_PYTHON=1", "IN_BUILD=1", "NOWHERE=1"].map((line) => `${line}\n`).join("");
  const workspace = makeWorkspace({
    ...GOOD,
    ".env": `${GOOD[".env"]}${env}`,
    ".env.example": `${GOOD[".env.example"]}${env}`,
    "prisma/schema.prisma": 'datasource db { url = env("IN_SCHEMA") }\n',
    "jobs/report.py": 'os.environ["IN_PYTHON"]\n',
    "dist/main.js": "process.env.IN_BUILD;\n",
  });
  const unused = async (): Promise<string[]> => {
    const { response } = await execute(repositoryCheck, workspace.ports, { paths: [], strict: false }, caller);
    return response.issues.filter(({ code }) => code === "PROJECT_KEYS_UNUSED").map(({ message }) => message);
  };
  expect(await unused()).toEqual(["env files set NOWHERE, which no other file mentions"]);
  const deep = workspace.path(Array.from({ length: 18 }, () => "d").join("/"));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, "main.js"), "process.env.NOWHERE;\n");
  expect(await unused()).toEqual([]);
  rmSync(workspace.path("d"), { recursive: true });
  expect(await unused()).toHaveLength(1);
  // A folder that a link leads to is not read.
  symlinkSync("..", workspace.path("build"));
  expect(await unused()).toEqual([]);
});
