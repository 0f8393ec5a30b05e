/** `svcm init` on small projects that are modelled on public ones. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commandLineCaller,
  ecosystemShow,
  envCheck,
  envExport,
  envRead,
  execute,
  nodePorts,
  projectInit,
  rolloutPlan,
  statusShow,
  type Caller,
  type Ports,
} from "../../../src/core/index.ts";
import { decideMachine } from "../../../src/core/setup/operations/project-init.ts";
import { app, CANARIES, js, projects } from "../../support/own-projects.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { proposalIn } from "../../support/proposal.ts";

const caller = commandLineCaller();
const ENV = { PATH: process.env["PATH"] ?? "" };
describe.each(Object.entries(projects))("svcm init in a project: %s", (_, { files, layout, starts, env }) => {
  test("proposes the layout that a reader sees in it, and the operations work with it; a second run changes nothing", async () => {
    const ports = repository({ "main.js": "", ...files });
    const answer = await execute(projectInit, ports, { write: true }, caller);
    const text = readFileSync(`${ports.workspace.root}/svcm.yaml`, "utf8");
    const { environments: _environments, default: _main, keys: _keys, ...proposed } = proposalIn(ports);
    expect(proposed).toEqual({ version: 1, ...layout });
    for (const canary of CANARIES) expect(text + JSON.stringify(answer)).not.toContain(canary);
    const fresh = again(ports);
    for (const { environment, apps, service } of starts) {
      const shown = await execute(ecosystemShow, fresh, { environment, service }, caller);
      expect(shown.apps.map(({ name }) => name)).toEqual(apps);
      for (const canary of CANARIES) expect(JSON.stringify(shown)).not.toContain(canary);
    }
    if (env) {
      const { response } = await execute(envRead, fresh, {}, caller);
      expect(response).toMatchObject({ editableKeys: [], values: env });
      for (const canary of CANARIES) expect(JSON.stringify(response)).not.toContain(canary);
      expect(
        (await execute(envCheck, fresh, {}, caller)).issues.filter(({ severity }) => severity === "error"),
      ).toEqual([]);
    }
    const proposals = () =>
      ["svcm.yaml", ".gitignore"].map((name) => readFileSync(`${ports.workspace.root}/${name}`, "utf8"));
    const before = proposals();
    const { plan, written } = await execute(projectInit, again(ports), { write: true }, caller);
    expect([plan, written]).toEqual([[], []]);
    expect(proposals()).toEqual(before);
  });
});

test("svcm init without write changes nothing, and with write it changes only svcm.yaml and .gitignore", async () => {
  const ports = repository({ "ecosystem.config.js": js(app("api")), ".gitignore": "node_modules" });
  const { plan } = await execute(projectInit, ports, { write: false }, caller);
  const { root } = ports.workspace;
  expect(plan.map(({ path }) => path)).toEqual([`${root}/svcm.yaml`, `${root}/.gitignore`]);
  expect(existsSync(`${root}/svcm.yaml`)).toBe(false);
  await execute(projectInit, ports, { write: true }, caller);
  expect(readFileSync(`${root}/.gitignore`, "utf8")).toBe("node_modules\n.svcm/\n");
});

test("svcm init proposes no key that the contract refuses to show, and withholds switches with secret names", async () => {
  const names = ["CREDENTIALS", "CORS_CREDENTIALS", "USE_TOKEN", "REQUIRE_PASSWORD", "SMTP_AUTH"];
  const ports = repository({ ".env": ["ENABLE_CACHE", ...names].map((name) => `${name}=true\n`).join("") });
  const { keys } = await execute(projectInit, ports, { write: true }, caller);
  expect(keys.open).toEqual(["ENABLE_CACHE"]);
  const { response } = await execute(envRead, again(ports), {}, caller);
  expect(Object.keys(response.values)).toEqual(["ENABLE_CACHE"]);
});

test("svcm init makes an environment with an ecosystem file the default, and writes nothing if it finds nothing", async () => {
  const ports = repository({
    "ecosystem.config.js": js(app("api")),
    ".env": "ORIGIN=*\n",
    ".env.example": "ORIGIN=https://a.example\n",
  });
  await execute(projectInit, ports, { write: true }, caller);
  const { apps } = await execute(ecosystemShow, again(ports), {}, caller);
  expect(apps.map(({ name }) => name)).toEqual(["api"]);
  const { issues } = await execute(envCheck, again(ports), {}, caller);
  expect(issues).toEqual([]);
  expect((await execute(projectInit, repository({ "a.txt": "" }), { write: true }, caller)).written).toEqual([]);
});

test("svcm init runs no file of the project", async () => {
  const ports = repository({
    "ecosystem.config.js": 'require("fs").writeFileSync(__dirname + "/ran", ""); module.exports = { apps: [] };',
  });
  await execute(projectInit, ports, { write: true }, caller);
  expect(existsSync(`${ports.workspace.root}/ran`)).toBe(false);
});

test("a second svcm init adds new keys and keeps every other byte", async () => {
  const ports = repository({ ".env": "PORT=1\n", "ecosystem.config.js": js(app("api")) });
  const { root } = ports.workspace;
  const day = (): string => new Date().toISOString().slice(0, 10);
  const before = day();
  await execute(projectInit, ports, { write: true }, caller);
  const edited = `# ours\n${readFileSync(`${root}/svcm.yaml`, "utf8").replace(", guess: its value is a port", "")}`;
  writeFileSync(`${root}/svcm.yaml`, edited);
  writeFileSync(`${root}/.env`, "PORT=1\nREGION=eu\n");
  await execute(projectInit, again(ports), { write: true }, caller);
  const after = readFileSync(`${root}/svcm.yaml`, "utf8");
  expect(after.startsWith(edited.trimEnd())).toBe(true);
  expect(after.slice(edited.trimEnd().length)).toMatch(
    new RegExp(`^\\n  # added by svcm init on (?:${before}|${day()})\\n  REGION: { kind: text, `),
  );
  expect((await execute(projectInit, again(ports), { write: true }, caller)).plan).toEqual([]);
});

test("svcm init withholds few plain keys, and shows no secret", async () => {
  const plain = ["MAX_TOKENS=4096", "COOKIE_MAX_AGE=86400", "SESSION_COOKIE_NAME=sid", "PASSPORT_STRATEGY=local"];
  const more = [
    "DB_USER=app",
    "GITHUB_CLIENT_ID=",
    "LOG_SAMPLE_N=",
    `USDC_ADDRESS=0x${"a1B2".repeat(10)}`,
    "JWT_EXPIRE=",
  ];
  const secret = [
    "RPC_URL_MAIN=",
    "SESSION_ID=",
    `WALLET=0x${"a1B2".repeat(16)}`,
    "OPENAI_TOKENS=x",
    "COOKIE_SECRET=x",
    "SESSION_TOKEN=x",
  ];
  const ports = repository({ ".env": `${[...plain, ...more, ...secret].join("\n")}\n` });
  const { keys } = await execute(projectInit, ports, { write: true }, caller);
  expect(keys.open).toEqual([...plain, ...more].map((line) => line.split("=")[0]));
});

describe("svcm init beside config/runtime-contract.yaml", () => {
  const contract = `version: 1
environments: { dev: { file: .env.dev } }
defaultEnvironment: dev
keys: { PORT: { kind: port, tier: editable } }
profiles: {}
`;
  const files = {
    "config/runtime-contract.yaml": contract,
    "apps/backend-template/src/config/.env.dev": "PORT=1\nREGION=eu\n",
    "pm2/ecosystem.dev.config.cjs": js(app("api")),
  };

  test("leaves the keys to the contract, and the commands work as before", async () => {
    const ports = repository(files);
    const ask = async (world: Ports) => [
      (await execute(envRead, world, {}, caller)).response.values,
      (await execute(envRead, world, {}, caller)).response.editableKeys,
      (await execute(ecosystemShow, world, {}, caller)).apps.map(({ name }) => name),
    ];
    const before = await ask(ports);
    expect(before).toEqual([{ PORT: "1" }, ["PORT"], ["api"]]);
    const { found } = await execute(projectInit, ports, { write: true }, caller);
    expect(proposalIn(ports)).not.toHaveProperty("keys");
    expect(found.notUnderstood.map(({ path }) => path)).toContain("config/runtime-contract.yaml");
    expect(await ask(again(ports))).toEqual(before);
    expect((await execute(projectInit, again(ports), { write: true }, caller)).plan).toEqual([]);
  });
});

function repository(files: Readonly<Record<string, string>>): Ports {
  return makeWorkspace(files, ENV).ports;
}

describe("the environment of this machine", () => {
  const twoEnvironments = {
    "ecosystem.config.js":
      'module.exports = { apps: [{ name: "api", script: "main.js", env: { A: "1" }, env_production: { A: "2" } }] };',
    "main.js": "",
  };
  const init = (ports: Ports, machineEnvironment?: string) =>
    execute(projectInit, ports, { write: true, machineEnvironment }, caller);
  const planned = async (ports: Ports) => (await execute(rolloutPlan, again(ports), {}, caller)).environment;
  const recordOf = ({ workspace: { root, pm2Home } }: Ports) => join(pm2Home, "svcm", basename(root), "environment");

  test("is that of svcm init before the first apply, and no file of the repository holds it", async () => {
    const ports = repository(twoEnvironments);
    const first = await init(ports, "production");
    expect(first.machine).toMatchObject({
      accepted: ["dev", "production"],
      environment: "production",
      by: "init",
      isNew: true,
    });
    expect(await planned(ports)).toBe("production");
    expect(await execute(statusShow, again(ports), {}, caller)).toMatchObject({
      machine: { environment: "production", by: "init" },
      summary: expect.stringMatching(/^production: /) as string,
    });
    expect(readFileSync(`${ports.workspace.root}/svcm.yaml`, "utf8")).not.toContain("machine");
    expect(statSync(recordOf(ports)).mode & 0o777).toBe(0o600);

    const second = await init(again(ports), "prod");
    expect([second.written, second.machine.isNew]).toEqual([[], false]);
    expect((await init(again(ports), "dev")).machine).toMatchObject({ environment: "dev", isNew: true });
    expect(await planned(ports)).toBe("dev");
  });

  test("is the one that commands about files mean, except requests of the specification and those with NODE_ENV", async () => {
    const ports = repository({ ...twoEnvironments, ".env.dev": "PORT=4101\n", ".env.production": "PORT=4102\n" });
    await init(ports, "production");
    const port = async (env: Readonly<Record<string, string>>, source: Caller["source"]) =>
      (await execute(envRead, again(ports, env), {}, { ...caller, source })).response.values["PORT"];
    expect([await port({}, "cli"), await port({}, "mcp"), await port({}, "nats")]).toEqual(["4102", "4102", "4102"]);
    expect([await port({}, "http"), await port({ NODE_ENV: "dev" }, "cli")]).toEqual(["4101", "4101"]);
    const environments = await Promise.all(
      [ecosystemShow, envCheck, envExport].map(async (operation) => {
        const input = { format: "json" as const, all: false };
        return (await execute(operation as typeof envExport, again(ports), input, caller)).environment;
      }),
    );
    expect(environments).toEqual(["production", "production", "production"]);
  });

  test("is not recorded by a dry run, and an unknown name is refused before anything is written", async () => {
    const ports = repository(twoEnvironments);
    const request = { write: false, machineEnvironment: "production" };
    expect((await execute(projectInit, ports, request, caller)).machine.isNew).toBe(true);
    await expect(init(ports, "prodution")).rejects.toMatchObject({
      kind: "INVALID_ENVIRONMENT",
      body: { details: expect.stringContaining("Accepted: dev, production.") as string },
    });
    expect(existsSync(`${ports.workspace.root}/svcm.yaml`)).toBe(false);
    expect(existsSync(recordOf(ports))).toBe(false);
  });

  test("is refused with its source where svcm.yaml does not declare it any more", async () => {
    const ports = repository(twoEnvironments);
    await init(ports, "production");
    writeFileSync(recordOf(ports), "staging\n");
    await expect(planned(ports)).rejects.toMatchObject({
      kind: "INVALID_ENVIRONMENT",
      body: { details: expect.stringContaining('recorded this machine as "staging"') as string },
    });
  });

  test("is refused where the last apply was for another one", () => {
    const applied = { environment: "dev", by: "apply" } as const;
    const environments = { dev: { aliases: [] }, production: { aliases: ["prod"] } };
    expect(() => decideMachine(environments, applied, "prod")).toThrow(/The last apply on this machine was for dev/);
    expect(decideMachine(environments, applied, "dev")).toMatchObject({ by: "apply", isNew: false });
  });
});

/** The same repository in another command, without shared caches. */
function again({ workspace: { root } }: Ports, env: Readonly<Record<string, string>> = {}): Ports {
  return nodePorts({ root, env: { PM2_HOME: `${root}/.pm2`, ...ENV, ...env }, cwd: root });
}

describe("answers that no file gives", () => {
  const files = {
    "ecosystem.config.js": js(app("api")),
    ".env": "PORT=3000\nPAGE_SIZE=20\nAPI_SECRET=x\n",
  };
  const init = (ports: Ports, answers: object) => execute(projectInit, ports, { write: true, ...answers }, caller);

  test("make keys editable and declare a probe, and the file is valid", async () => {
    const ports = repository(files);
    await init(ports, { allow: ["PAGE_SIZE"], health: { api: "/health" } });
    const text = readFileSync(`${ports.workspace.root}/svcm.yaml`, "utf8");
    expect(text).toContain("rollout:\n  health:\n    api: { path: /health, port: PORT }\nkeys:\n");
    expect(text).toContain("  PAGE_SIZE: { kind: number, tier: editable }\n");
    expect(text).toContain("  PORT: { kind: port, tier: read-only, guess:");
    const { response } = await execute(envRead, again(ports), {}, caller);
    expect(response.editableKeys).toEqual(["PAGE_SIZE"]);
  });

  test.each([
    [{ allow: ["PAGE_SIZ"] }, "Accepted: PORT, PAGE_SIZE, API_SECRET"],
    [{ allow: ["API_SECRET"] }, "never-exposed"],
    [{ health: { api: "health" } }, "a path that begins with a slash"],
  ])("%j is refused, and nothing is written", async (answers, words) => {
    const ports = repository(files);
    const refused = await init(ports, answers).catch((error: unknown) => error as Error & { body: object });
    expect(JSON.stringify("body" in refused ? refused.body : refused)).toContain(words);
    expect(existsSync(`${ports.workspace.root}/svcm.yaml`)).toBe(false);
  });

  test("are refused where svcm.yaml exists, with the command that changes it", async () => {
    const ports = repository(files);
    await init(ports, {});
    const hint = expect.stringContaining("svcm keys allow KEY") as string;
    await expect(init(again(ports), { allow: ["PAGE_SIZE"] })).rejects.toMatchObject({ body: { hint } });
  });
});
