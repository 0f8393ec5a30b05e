/** A repository with a `svcm.yaml`: environments, layers, services and ecosystem files. */
import { join } from "node:path";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  commandLineCaller,
  ecosystemShow,
  envCheck,
  envRead,
  envWrite,
  execute,
  openPorts,
  type Ports,
} from "../../../src/core/index.ts";
import { readProject } from "../../../src/core/project/read.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();

const repository = (files: Readonly<Record<string, string>>): Ports =>
  makeWorkspace(files, { PATH: process.env["PATH"] ?? "" }).ports;

const KEYS = `keys:
  PORT: { kind: port, tier: read-only }
  LOG_LEVEL: { kind: enum, values: [debug, info, warn], tier: editable }
  DATABASE_URL: { kind: connection-url }
`;
const LAYERED = `version: 1
environments: { dev: [development, local], production: [prod] }
env: { dev: [.env, .env.local], production: .env.production }
ecosystem:
  production: { file: ecosystem.config.js, env: production }
  dev: [pm2/api.config.js, { file: pm2/worker.config.js, cwd: pm2 }]
${KEYS}`;
const ECOSYSTEM = `module.exports = { apps: [{ name: "api", script: "api.js",
  env: { NODE_ENV: "development", PORT: 1 }, env_production: { NODE_ENV: "production" } }] }`;
const FILES = {
  "svcm.yaml": LAYERED,
  ".env": "PORT=3000\nLOG_LEVEL=info\nDATABASE_URL=postgres://u:canary-pw@db/x\n",
  ".env.local": "PORT=4000\n",
  ".env.production": "PORT=80\nLOG_LEVEL=warn\n",
  "ecosystem.config.js": ECOSYSTEM,
  "pm2/api.config.js": 'module.exports = { apps: [{ name: "api", script: "./api.js" }] }',
  "pm2/worker.config.js": 'module.exports = { apps: [{ name: "worker", script: "./worker.js" }] }',
  "pm2/worker.js": "",
};

describe("env files in layers", () => {
  test("a later layer takes precedence, and an unknown or connection key is never shown", async () => {
    const ports = repository(FILES);
    const { response } = await execute(envRead, ports, { environment: "local" }, caller);
    expect(response).toEqual({
      environment: "local",
      fileName: ".env.local",
      path: join(ports.workspace.root, ".env.local"),
      editableKeys: ["LOG_LEVEL"],
      values: { LOG_LEVEL: "info", PORT: "4000" },
    });
    expect(JSON.stringify(response)).not.toContain("canary");
  });

  test("a write changes only the last layer, and nothing if a lower layer already has the value", async () => {
    const ports = repository(FILES);
    const write = async (value: string) => {
      const input = { values: { LOG_LEVEL: value }, foreignKeys: "refuse" as const };
      return (await execute(envWrite, ports, input, caller)).response;
    };
    expect((await write("info")).changedKeys).toEqual([]);
    expect((await write("debug")).changedKeys).toEqual(["LOG_LEVEL"]);
    expect(await contentOf(ports, ".env")).toBe(FILES[".env"]);
    expect(await contentOf(ports, ".env.local")).toBe("PORT=4000\nLOG_LEVEL=debug\n");
  });

  test("the entity tag covers every layer", async () => {
    const ports = repository(FILES);
    const before = (await execute(envRead, ports, {}, caller)).bytes;
    writeFileSync(`${ports.workspace.root}/.env`, "PORT=1\n");
    expect((await execute(envRead, ports, {}, caller)).bytes).not.toEqual(before);
  });

  test("a missing layer is skipped; if all are missing, the refusal names them", async () => {
    const { ".env.local": _, ...rest } = FILES;
    const { response } = await execute(envRead, repository(rest), {}, caller);
    expect(response.values["PORT"]).toBe("3000");
    const none = execute(envRead, repository({ "svcm.yaml": LAYERED }), {}, caller);
    await expect(none).rejects.toMatchObject({ body: { code: "ENV_FILE_NOT_FOUND" } });
  });

  test("env check reports each layer under its own name", async () => {
    const { issues } = await execute(envCheck, repository({ ...FILES, ".env.local": "PORT=none\n" }), {}, caller);
    expect(issues).toMatchObject([{ code: "ENV_VALUE_UNSUPPORTED", at: { file: ".env.local", line: 1 } }]);
  });

  test.each([
    [
      "by its declaration",
      {
        "svcm.yaml": LAYERED.replace(
          "production: .env.production",
          "production: { file: .env.production, encrypted: dotenvx }",
        ),
      },
    ],
    ["by its content", { ".env.production": 'DOTENV_PUBLIC_KEY_PRODUCTION="03ab"\nPORT="encrypted:BDqDBibm4"\n' }],
  ])("an encrypted file, %s, is neither read nor written", async (_, files) => {
    const ports = repository({ ...FILES, ...files });
    const refused = { body: { code: "ENV_FILE_ENCRYPTED" } };
    await expect(execute(envRead, ports, { environment: "prod" }, caller)).rejects.toMatchObject(refused);
    const input = { environment: "prod", values: { LOG_LEVEL: "info" }, foreignKeys: "refuse" as const };
    await expect(execute(envWrite, ports, input, caller)).rejects.toMatchObject(refused);
  });
});

describe("ecosystem files", () => {
  test("a file is read with the name after --env, and the command passes it", async () => {
    const answer = await execute(ecosystemShow, repository(FILES), { environment: "production" }, caller);
    expect(answer.apps).toMatchObject([{ name: "api", env: { PORT: "1" } }]);
    expect(answer.apps[0]?.command).toMatch(
      /^pm2 start \S+\/ecosystem\.config\.js --only api --env production --update-env$/,
    );
  });

  test("--env adds to a name, and gives an app the variables of deploy, as PM2 does", async () => {
    const text = `const app = { name: "api", script: "a.js", append_env_to_name: true, env: { PORT: 1 }, env_production: { A: "b" } };
      module.exports = { apps: [app], deploy: { production: { user: "deploy", env: { PORT: 2, A: "d" } } } };`;
    const ports = repository({ ...FILES, "ecosystem.config.js": text });
    const { apps } = await execute(ecosystemShow, ports, { environment: "production" }, caller);
    expect(apps).toMatchObject([{ name: "api-production", env: { PORT: "2" } }]);
    expect(apps[0]?.command).toMatch(/--only api --env production --update-env$/);
  });

  test("several files of one environment are one list, each run in its folder", async () => {
    const ports = repository(FILES);
    const answer = await execute(ecosystemShow, ports, {}, caller);
    const { root } = ports.workspace;
    expect(answer.apps).toMatchObject([
      { name: "api", cwd: root },
      { name: "worker", cwd: `${root}/pm2` },
    ]);
    expect(answer.apps[1]?.command).toMatch(/pm2\/worker\.config\.js --only worker --update-env$/);
  });
});

test.each(["ecosystem.config.ts", "ecosystem.mjs", "ecosystem.js"])(
  "%s is refused before it runs, because PM2 would run it as a script",
  async (name) => {
    const svcm = LAYERED.replace("file: ecosystem.config.js", `file: ${name}`);
    const ports = repository({ ...FILES, "svcm.yaml": svcm, [name]: "throw new Error('it ran');" });
    const shown = execute(ecosystemShow, ports, { environment: "production" }, caller);
    await expect(shown).rejects.toMatchObject({ body: { code: "ECOSYSTEM_FILE_KIND" } });
  },
);

describe("services", () => {
  const svcm = `version: 1
environments: { dev: [] }
services:
  orders: { folder: services/orders, env: { dev: .env }, ecosystem: { dev: { file: ../../ecosystem.config.js } }, apps: [orders] }
  users: { folder: services/users, env: { dev: .env } }
${KEYS}`;
  const files = {
    "svcm.yaml": svcm,
    "services/orders/.env": "PORT=1\n",
    "services/users/.env": "PORT=2\n",
    "ecosystem.config.js":
      'module.exports = { apps: [{ name: "orders", script: "a.js" }, { name: "users", script: "b.js" }] }',
  };

  test("each has its env file and its apps", async () => {
    const ports = repository(files);
    const port = async (service: string) =>
      (await execute(envRead, ports, { service }, caller)).response.values["PORT"];
    expect([await port("orders"), await port("users")]).toEqual(["1", "2"]);
    const { apps } = await execute(ecosystemShow, ports, { service: "orders" }, caller);
    expect(apps.map(({ name }) => name)).toEqual(["orders"]);
  });

  test.each([
    [undefined, "SERVICE_REQUIRED", "This repository has several services. Accepted: orders, users."],
    ["order", "SERVICE_UNKNOWN", 'No service has the name "order". Accepted: orders, users.'],
  ])("a request for the service %s is refused with %s", async (service, code, details) => {
    const read = execute(envRead, repository(files), service === undefined ? {} : { service }, caller);
    await expect(read).rejects.toMatchObject({ kind: "INVALID_REQUEST", body: { code, details } });
  });
});

test("without a service, the ecosystem files of all services are used", async () => {
  const ports = repository({
    "svcm.yaml": `version: 1
environments: { dev: [] }
services:
  a: { ecosystem: { dev: a.config.js } }
  b: { folder: b, ecosystem: { dev: { file: ../b.config.js, cwd: .. } } }
`,
    "a.config.js": 'module.exports = { apps: [{ name: "a", script: "a.js" }] }',
    "b.config.js": 'module.exports = { apps: [{ name: "b", script: "b.js" }] }',
  });
  const names = async (service?: string) =>
    (await execute(ecosystemShow, ports, { service }, caller)).apps.map(({ name }) => name);
  expect([await names(), await names("b")]).toEqual([["a", "b"], ["b"]]);
});

describe("pm2Home and folders", () => {
  test("are taken from svcm.yaml, unless the environment names PM2_HOME", async () => {
    const { root } = repository({ "svcm.yaml": `${LAYERED}pm2Home: ~/here\nfolders: [../shared]\n` }).workspace;
    const home = async (env: Record<string, string>) => (await openPorts({ root, env, cwd: root })).workspace.pm2Home;
    expect(await home({ HOME: "/home/team" })).toBe("/home/team/here");
    expect(await home({ HOME: "/home/team", PM2_HOME: "/elsewhere" })).toBe("/elsewhere");
  });

  test("a link may lead into a folder that svcm.yaml names, and into no other", async () => {
    const shared = temporaryFolder();
    writeFileSync(`${shared}/env`, "PORT=7\n");
    const port = async (more: string) => {
      const { root } = repository({ "svcm.yaml": `${LAYERED}${more}`, ".env.local": "" }).workspace;
      symlinkSync(`${shared}/env`, `${root}/.env`);
      const ports = await openPorts({ root, env: { PM2_HOME: `${root}/.pm2` }, cwd: root });
      return (await execute(envRead, ports, {}, caller)).response.values["PORT"];
    };
    expect(await port(`folders: [${JSON.stringify(shared)}]\n`)).toBe("7");
    await expect(port("")).rejects.toMatchObject({ body: { code: "EOUTSIDE" } });
  });
});

test("keys in svcm.yaml and in any config/runtime-contract.yaml are an error that names both", async () => {
  const own = "version: 1\nenvironments: { dev: { file: .env } }\ndefaultEnvironment: dev\nkeys: {}\n";
  const details = expect.stringMatching(/svcm\.yaml.*config\/runtime-contract\.yaml/);
  for (const contract of [own, readFileSync("config/runtime-contract.yaml", "utf8")]) {
    const read = execute(envRead, repository({ ...FILES, "config/runtime-contract.yaml": contract }), {}, caller);
    await expect(read).rejects.toMatchObject({ body: { code: "FACT_KEYS_TWICE", details } });
  }
});

test.each([
  ["version: 2\nenvironments: { dev: [] }", "1:10 version: 2 is not accepted; accepted: 1"],
  ["version: 1\nenvironments: { dev: [] }\nenv: { prod: .env }", '3:14 "prod" is not known; accepted: dev'],
  ["version: 1\nenvironments: { dev: [a], qa: [a] }", '2:32 "a" already names an environment'],
  [
    "version: 1\nenvironments: { dev: [] }\nkeys: { A: { kind: text, tier: editable, guess: x } }",
    "3:32 keys.A.tier: a guess is never editable; confirm the key first, with svcm keys confirm A; accepted: read-only, never-exposed",
  ],
  [
    "version: 1\nenvironments: { dev: [] }\nenv: { dev: .env }\nservices: { a: {} }",
    "3:6 env: with services, each service has its own env; move it below its name",
  ],
])("svcm.yaml is read strictly, with positions: %j", (text, expected) => {
  const found = readProject(text, "svcm.yaml").issues.map(({ at, message }) => `${at?.line}:${at?.column} ${message}`);
  expect(found).toEqual([expected]);
});

async function contentOf({ files, workspace }: Ports, name: string): Promise<string> {
  return Buffer.from(await files.read(`${workspace.root}/${name}`)).toString();
}

describe("recording and alerts", () => {
  const text = (...lines: string[]) => ["version: 1", "environments: { dev: [] }", ...lines, ""].join("\n");

  test("are off if svcm.yaml does not mention them", () => {
    expect(readProject(text(), "svcm.yaml").value).toMatchObject({ record: false, alerts: undefined });
  });

  test("are read as declared", () => {
    const { value } = readProject(
      text(
        "record: true",
        "alerts: { webhook: HOOK, command: [notify, ops], heartbeat: BEAT, rules: { disk: 10m, drift: off } }",
      ),
      "svcm.yaml",
    );
    expect(value?.record).toBe(true);
    expect(value?.alerts).toEqual({
      webhook: "HOOK",
      webhookSecret: undefined,
      command: ["notify", "ops"],
      heartbeat: "BEAT",
      rules: { disk: "10m", drift: "off" },
    });
  });

  test.each(["webhook", "heartbeat", "webhookSecret"])(
    "an address or a secret as %s is refused and never shown",
    (member) => {
      const { issues } = readProject(
        text(`alerts: { ${member}: "https://chat.example.com/x/canary-path" }`),
        "svcm.yaml",
      );
      expect(issues).toHaveLength(1);
      expect(issues[0]?.message).toContain("the name of an environment variable");
      expect(JSON.stringify(issues)).not.toContain("canary");
    },
  );

  test.each(["rules: { cpu: 5m }", "rules: { disk: soon }", "command: notify", "email: ops@example.com"])(
    "%s is refused",
    (line) => {
      expect(readProject(text(`alerts: { ${line} }`), "svcm.yaml").issues).toHaveLength(1);
    },
  );
});
