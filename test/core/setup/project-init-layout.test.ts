import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  commandLineCaller,
  envRead,
  execute,
  nodePorts,
  processAct,
  projectInit,
  environmentsWithEcosystem,
  withLayoutHint,
} from "../../../src/core/index.ts";
import { app, js, manifest } from "../../support/own-projects.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { proposalIn, type Proposal } from "../../support/proposal.ts";

const caller = commandLineCaller();
const BLOCKS = ", env: { PORT: 1 }, env_production: { PORT: 2 }";
const json = (name: string): string => JSON.stringify({ apps: [{ name, script: "main.js" }] });

async function initIn(files: Readonly<Record<string, string>>): Promise<Proposal & { notes: string[] }> {
  const { ports } = makeWorkspace(files);
  const { found } = await execute(projectInit, ports, { write: true }, caller);
  return { ...proposalIn(ports), notes: found.notUnderstood.map(({ path, what }) => `${path}: ${what}`) };
}

describe("svcm init assigns files to environments", () => {
  test("a plain .env, or the one that a template stands for, belongs to each environment without a file", async () => {
    const declared = { "ecosystem.config.js": js(app("api", BLOCKS)) };
    const { env, notes } = await initIn({ ...declared, ".env": "PORT=1\n" });
    expect(env).toEqual({ dev: ".env", production: ".env" });
    expect(notes.join()).toContain(".env: svcm.yaml names this file for dev, production, as each machine has its own.");
    expect((await initIn({ ...declared, ".env.example": "PORT=\n" })).env).toEqual(env);
  });

  test("a block that no call uses, and that names no environment, is not an environment", async () => {
    const { ecosystem } = await initIn({
      "package.json": JSON.stringify({ scripts: { start: "pm2 start ecosystem.config.js --env production" } }),
      "ecosystem.config.js": js(app("api", BLOCKS)),
    });
    expect(ecosystem).toEqual({ production: { file: "ecosystem.config.js", env: "production" } });
  });

  test("the refusal for an environment without an env file lists the environments that have one", async () => {
    const { ports, root } = makeWorkspace({ "ecosystem.config.js": js(app("api", BLOCKS)), ".env.dev": "PORT=1\n" });
    await execute(projectInit, ports, { write: true }, caller);
    const fresh = nodePorts({ root, env: {}, cwd: root });
    const read = execute(envRead, fresh, { environment: "production" }, caller);
    await expect(read).rejects.toMatchObject({
      body: {
        code: "ENV_FILE_NOT_DECLARED",
        path: expect.stringContaining(root) as string,
        details: expect.stringContaining("These environments have one: dev.") as string,
      },
    });
  });

  test("an environment without an ecosystem file is refused with a list of the environments that have one", async () => {
    const { ports, root } = makeWorkspace({
      "ecosystem.config.js": js(app("api", BLOCKS)),
      ".env.staging": "PORT=1\n",
    });
    await execute(projectInit, ports, { write: true }, caller);
    const fresh = nodePorts({ root, env: {}, cwd: root });
    expect(await environmentsWithEcosystem(fresh)).toEqual(["dev", "production"]);
    const input = { action: "start", scope: "ecosystem", environment: "staging" } as const;
    await expect(execute(processAct, fresh, input, caller)).rejects.toMatchObject({
      body: {
        details:
          "The environment staging has no ecosystem file, so no app is declared. These environments have one: dev, production.",
      },
    });
  });

  test("the refusal for a missing env file names the template", async () => {
    const { ports, root } = makeWorkspace({ ".env.example": "PORT=1\n" });
    await execute(projectInit, ports, { write: true }, caller);
    const fresh = nodePorts({ root, env: {}, cwd: root });
    const error: unknown = await execute(envRead, fresh, {}, caller).catch((thrown: unknown) =>
      withLayoutHint(fresh, thrown),
    );
    expect(error).toMatchObject({ body: { code: "ENV_FILE_NOT_FOUND", hint: "Make the file from .env.example." } });
  });

  test("a plain .env is a layer below the files of all environments", async () => {
    const { env } = await initIn({
      "ecosystem.config.js": js(app("api", BLOCKS)),
      ".env": "PORT=1\n",
      ".env.development": "PORT=2\n",
      ".env.production": "PORT=3\n",
    });
    expect(env).toEqual({ dev: [".env", ".env.development"], production: [".env", ".env.production"] });
  });

  test("a plain .env beside .env.production belongs to dev", async () => {
    const { env } = await initIn({ ".env": "PORT=1\n", ".env.production": "PORT=3\n" });
    expect(env).toEqual({ dev: ".env", production: ".env.production" });
  });

  test("a name may begin with the environment, also in a hidden file", async () => {
    const { env } = await initIn({ "config/.development.env": "PORT=2\n", "config/.production.env": "PORT=3\n" });
    expect(env).toEqual({ dev: "config/.development.env", production: "config/.production.env" });
  });

  test("a file such as docker-compose.env does not name an environment", async () => {
    const { environments, env } = await initIn({ ".env": "PORT=1\n", "docker-compose.env": "PORT=2\n" });
    expect([Object.keys(environments), env]).toEqual([["dev"], { dev: ".env" }]);
  });
});

describe("svcm init chooses between PM2 files", () => {
  test("a file without an environment is the one for dev if another file is for production", async () => {
    const { ecosystem } = await initIn({ "pm2.json": json("api"), "pm2.prod.json": json("api") });
    expect(ecosystem).toEqual({ dev: "pm2.json", production: "pm2.prod.json" });
  });

  test("of two files with the same app, svcm init uses the one that the team starts", async () => {
    const files = { "ecosystem.config.js": js(app("api")), "pm2.json": json("api") };
    const started = { ...files, "package.json": manifest("express", '"up": "pm2 start ./pm2.json"') };
    expect((await initIn(files)).ecosystem).toEqual({ production: "ecosystem.config.js" });
    const { ecosystem, notes } = await initIn(started);
    expect(ecosystem).toEqual({ production: "pm2.json" });
    expect(notes.join()).toContain("ecosystem.config.js: another file declares the same app");
  });

  test("svcm init prefers a file that PM2 can load, and says why PM2 cannot load the other", async () => {
    const { ecosystem, notes } = await initIn({
      "package.json": '{ "type": "module" }',
      "ecosystem.config.js": js(app("api")),
      "ecosystem.config.cjs": js(app("api")),
    });
    expect(ecosystem).toEqual({ production: "ecosystem.config.cjs" });
    expect(notes.join()).toContain('ecosystem.config.js: PM2 cannot read this file, because package.json has "type"');
  });

  test.each([
    ["apps by name", "export const apps = [];\nexport default { apps };", ""],
    ["a list of exports", "const apps = [];\nexport { apps };", ""],
    ["apps as default", "export default { apps: [] };", "because it exports them as default"],
    ["a comment that exports", "// export const apps\nmodule.exports = { apps: [] };", "PM2 cannot read this file"],
  ])("in a package of modules, PM2 reads what exports apps by name: %s", async (_name, text, note) => {
    const source = text.replace("[]", `[${app("api")}]`);
    const { notes } = await initIn({ "package.json": '{ "type": "module" }', "ecosystem.config.js": source });
    const found = notes.filter((line) => line.includes("PM2"));
    expect(found).toEqual(note === "" ? [] : [expect.stringContaining(note)]);
  });

  test("files that a Dockerfile starts in several stages are not said to have no caller", async () => {
    const stages = ["all", "app"].map((name) => `FROM node\nENTRYPOINT ["pm2-runtime", "./process.${name}.json"]\n`);
    const { undecided } = await initIn({
      "process.all.json": json("api"),
      "process.app.json": json("api"),
      Dockerfile: stages.join(""),
    });
    expect((undecided ?? []).map(({ why }) => why)).toEqual([
      "declares api, as process.app.json does; Dockerfile starts several of them",
      "declares api, as process.all.json does; Dockerfile starts several of them",
    ]);
  });

  test.each([
    ["ecosystem.json5", "{ apps: [{ name: 'api', script: 'a.js', env: { PORT: 1, }, }, ] } // five"],
    ["pm2.jsonc", '{ "apps": [{ "name": "api", "script": "a.js", "env": { "PORT": 1 } }] /* c */ }'],
    ["ecosystem.yaml", "apps:\n  - name: api\n    script: a.js\n    env: &base\n      PORT: 1\n"],
  ])("svcm init reads the apps and keys of %s", async (name, text) => {
    const { ecosystem, keys } = await initIn({ [name]: text });
    expect([ecosystem, Object.keys(keys ?? {})]).toEqual([{ production: name }, ["PORT"]]);
  });

  test("svcm init ignores comments in PM2 files", async () => {
    const file =
      '// env_staging: {}\nmodule.exports = { apps: [{ name: "a", script: "x/**/b.js" }] }; /* env_qa: {} */';
    expect((await initIn({ "ecosystem.config.js": file })).ecosystem).toEqual({ production: "ecosystem.config.js" });
  });

  test("an app belongs to the service in whose folder its cwd is", async () => {
    const { services } = await initIn({
      "ecosystem.config.js": js(
        app("orders", ', cwd: path.join(__dirname, "services", "orders")'),
        "{ cwd: `${__dirname}/services/users`, script: 'main.js', name: 'users' }",
        app("web"),
      ),
      "package.json": manifest("turbo"),
      "services/orders/package.json": manifest("express"),
      "services/orders/.env": "PORT=1\n",
      "services/users/package.json": manifest("express"),
      "services/users/.env": "PORT=2\n",
    });
    expect(services).toMatchObject({
      main: { apps: ["web"] },
      orders: { apps: ["orders"] },
      users: { apps: ["users"] },
    });
  });

  test("a file with a computed name is not split, because its other apps would be lost", async () => {
    const { services } = await initIn({
      "ecosystem.config.js": js(
        app("orders", ', cwd: "services/orders"'),
        "{ name: pkg.name + '-web', script: 'a.js' }",
      ),
      "package.json": manifest("turbo"),
      "services/orders/package.json": manifest("express"),
      "services/orders/.env": "PORT=1\n",
    });
    expect(services).toEqual({
      main: { ecosystem: { production: "ecosystem.config.js" } },
      orders: { folder: "services/orders", env: { production: ".env" } },
    });
  });

  test("a project in a subfolder runs in that folder", async () => {
    const proposed = await initIn({
      "server/package.json": manifest("express"),
      "server/ecosystem.config.js": js(app("a")),
    });
    expect(proposed).toMatchObject({ folder: "server", ecosystem: { production: "ecosystem.config.js" } });
  });
});

test("a second svcm init names the files that svcm.yaml does not", async () => {
  const workspace = makeWorkspace({ ".env": "PORT=1\n" });
  const init = async () => {
    const ports = nodePorts({ root: workspace.root, env: { PM2_HOME: workspace.path(".pm2") }, cwd: workspace.root });
    const { plan, unnamed } = await execute(projectInit, ports, { write: true }, caller);
    return { written: plan.map(({ path }) => path.slice(workspace.root.length + 1)), unnamed };
  };
  expect(await init()).toEqual({ written: ["svcm.yaml", ".gitignore"], unnamed: [] });
  writeFileSync(workspace.path("ecosystem.config.js"), js(app("api")));
  expect(await init()).toEqual({ written: [], unnamed: ["ecosystem.config.js"] });
  const text = readFileSync(workspace.path("svcm.yaml"), "utf8");
  writeFileSync(workspace.path("svcm.yaml"), `${text}ecosystem: { dev: ecosystem.config.js }\n`);
  expect(await init()).toEqual({ written: [], unnamed: [] });
});

test("a .gitignore that is not UTF-8, as PowerShell writes it, is left as it is", async () => {
  const utf16 = Buffer.from("\uFEFFnode_modules\n", "utf16le");
  const workspace = makeWorkspace({ ".env": "PORT=1\n" });
  writeFileSync(workspace.path(".gitignore"), utf16);
  const { found, written } = await execute(projectInit, workspace.ports, { write: true }, caller);
  expect(written).toEqual([workspace.path("svcm.yaml")]);
  expect(found.notUnderstood).toContainEqual({
    path: ".gitignore",
    line: 1,
    what: "it is not UTF-8 text, so svcm adds nothing to it",
  });
  expect(readFileSync(workspace.path(".gitignore"))).toEqual(utf16);
});
