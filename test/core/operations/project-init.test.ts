/** `svcm init` over small projects in the manner of public ones: what it proposes is what a person reads in them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  commandLineCaller,
  ecosystemShow,
  envCheck,
  envRead,
  execute,
  nodePorts,
  projectInit,
  type Ports,
} from "../../../src/core/index.ts";
import { parseYaml } from "../../../src/core/yaml/parse.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();
const ENV = { PATH: process.env["PATH"] ?? "" };
const CANARIES = ["canary-pw-1", "canary-token-2", "canarycanary3"];
const SECRETS = `DATABASE_URL=postgres://app:${CANARIES[0]}@localhost/app\nJWT_SECRET=${CANARIES[1]}\nSTRIPE_KEY=sk_live_${CANARIES[2]}xyz\n`;
const app = (name: string, more = ""): string => `{ name: "${name}", script: "main.js"${more} }`;
const js = (...apps: string[]): string => `module.exports = { apps: [${apps.join(", ")}] };\n`;
const manifest = (dependencies: string, scripts = ""): string =>
  `{ "name": "app", "scripts": { ${scripts} }, "dependencies": { "${dependencies}": "1" } }`;

interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly layout: Readonly<Record<string, unknown>>;
  /** By environment and service, the names of its apps. */
  readonly apps: readonly (readonly [environment: string, apps: readonly string[], service?: string])[];
  readonly env?: Readonly<Record<string, string>>;
}

const BLOCKS = ', env: { NODE_ENV: "development", PORT: 3000 }, env_production: { NODE_ENV: "production", PORT: 80 }';
const projects: Readonly<Record<string, Project>> = {
  "Express, env_production block": {
    files: {
      "package.json": manifest("express"),
      "ecosystem.config.js": js(app("api", BLOCKS)),
      ".env": `PORT=3000\n${SECRETS}`,
    },
    layout: {
      ecosystem: { dev: "ecosystem.config.js", production: { file: "ecosystem.config.js", env: "production" } },
      env: { dev: ".env", production: ".env" },
    },
    apps: [
      ["dev", ["api"]],
      ["prod", ["api"]],
    ],
    env: { PORT: "3000" },
  },
  "Nest, layered env files": {
    files: {
      "package.json": manifest("@nestjs/core"),
      "ecosystem.config.cjs": js(app("nest", ', env: { NODE_ENV: "production" }')),
      ".env.development": `APP_PORT=7001\n${SECRETS}`,
      ".env.development.local": "APP_PORT=7002\n",
      ".env.production": "APP_PORT=7003\n",
    },
    layout: {
      ecosystem: { production: "ecosystem.config.cjs" },
      env: { dev: [".env.development", ".env.development.local"], production: ".env.production" },
    },
    apps: [["production", ["nest"]]],
    env: { APP_PORT: "7003" },
  },
  "Next, called with --env": {
    files: {
      "package.json": manifest("next", '"deploy": "pm2 startOrReload ecosystem.config.js --env uat"'),
      "ecosystem.config.js": js(app("web", ", env_uat: { PORT: 1 }")),
      ".env.example": `NEXT_PUBLIC_API_URL=https://api.example.com\n${SECRETS}`,
    },
    layout: {
      ecosystem: { uat: { file: "ecosystem.config.js", env: "uat" } },
      env: { uat: ".env" },
      template: ".env.example",
    },
    apps: [["uat", ["web"]]],
  },
  "Nuxt, JSON with comments": {
    files: {
      "package.json": manifest("nuxt"),
      "ecosystem.json":
        '{ /* PM2 reads it */ "apps": [{ "name": "nuxt", "script": "main.js", "env": { "PORT": 3000 } }] }',
    },
    layout: { ecosystem: { production: "ecosystem.json" } },
    apps: [["production", ["nuxt"]]],
  },
  "YAML ecosystem file": {
    files: {
      "ecosystem.config.yml": "apps:\n  - name: api\n    script: main.js\n    env:\n      NODE_ENV: production\n",
    },
    layout: { ecosystem: { production: "ecosystem.config.yml" } },
    apps: [["production", ["api"]]],
  },
  "workers in separate files": {
    files: {
      "pm2/api.config.js": "",
      "pm2/ecosystem.api.config.js": js(app("api")),
      "pm2/ecosystem.worker.config.js": js(app("worker")),
    },
    layout: { ecosystem: { production: ["pm2/ecosystem.api.config.js", "pm2/ecosystem.worker.config.js"] } },
    apps: [["production", ["api", "worker"]]],
  },
  "a bot, process.json": {
    files: {
      "process.json": '{ "apps": [{ "name": "bot", "script": "main.js" }] }',
      ".env": `BOT_TOKEN=${CANARIES[1]}\nPREFIX=!\n`,
    },
    layout: { ecosystem: { production: "process.json" }, env: { dev: ".env", production: ".env" } },
    apps: [["production", ["bot"]]],
    env: { PREFIX: "!" },
  },
  "Python beside Node": {
    files: {
      "ecosystem.config.js": js(app("api"), '{ name: "ml", script: "main.py", interpreter: "python3" }'),
      "main.py": "",
    },
    layout: { ecosystem: { production: "ecosystem.config.js" } },
    apps: [["production", ["api", "ml"]]],
  },
  "monorepo with three services": {
    files: {
      "package.json": manifest("turbo"),
      "ecosystem.config.js": js(
        app("orders-api", ', cwd: "services/orders"'),
        app("users-api", ', cwd: "./services/users"'),
        app("gateway"),
      ),
      "services/orders/package.json": manifest("express"),
      "services/orders/.env": `PORT=1\n${SECRETS}`,
      "services/users/package.json": manifest("express"),
      "services/users/.env": "PORT=2\n",
    },
    layout: {
      services: {
        main: { ecosystem: { production: "ecosystem.config.js" }, apps: ["gateway"] },
        orders: {
          folder: "services/orders",
          ecosystem: { production: { file: "../../ecosystem.config.js", cwd: "../.." } },
          env: { dev: ".env", production: ".env" },
          apps: ["orders-api"],
        },
        users: {
          folder: "services/users",
          ecosystem: { production: { file: "../../ecosystem.config.js", cwd: "../.." } },
          env: { dev: ".env", production: ".env" },
          apps: ["users-api"],
        },
      },
    },
    apps: [
      ["production", ["orders-api"], "orders"],
      ["production", ["gateway"], "main"],
    ],
  },
  "one file an environment": {
    files: {
      "ecosystem.dev.config.js": js(app("api", ", watch: true")),
      "ecosystem.prod.config.js": js(app("api", ', instances: "max", exec_mode: "cluster"')),
      ".env.staging": "PORT=1\n",
    },
    layout: {
      ecosystem: { dev: "ecosystem.dev.config.js", production: "ecosystem.prod.config.js" },
      env: { staging: ".env.staging" },
    },
    apps: [
      ["dev", ["api"]],
      ["production", ["api"]],
    ],
  },
  "process.env in the file": {
    files: {
      "ecosystem.config.js": js(
        app("api", ", env: { API_KEY: process.env.API_KEY, LOG_LEVEL: process.env.LOG_LEVEL }"),
      ),
      "main.js": "const { REGION } = process.env;",
    },
    layout: { ecosystem: { production: "ecosystem.config.js" } },
    apps: [["production", ["api"]]],
  },
  dotenvx: {
    files: {
      "ecosystem.config.js": js(app("api")),
      ".env.production": `DOTENV_PUBLIC_KEY_PRODUCTION="03abcdef"\nSECRET="encrypted:BDq${CANARIES[2]}"\n`,
    },
    layout: {
      ecosystem: { production: "ecosystem.config.js" },
      env: { production: { file: ".env.production", encrypted: "dotenvx" } },
    },
    apps: [["production", ["api"]]],
  },
};

describe.each(Object.entries(projects))("svcm init in a project: %s", (_, { files, layout, apps, env }) => {
  test("proposes the layout that a person reads in it, and the operations work with it", async () => {
    const ports = repository({ "main.js": "", ...files });
    const answer = await execute(projectInit, ports, { write: true }, caller);
    const text = readFileSync(`${ports.workspace.root}/svcm.yaml`, "utf8");
    expect(parseYaml(text, "svcm.yaml").value).toMatchObject({ version: 1, ...layout });
    for (const canary of CANARIES) expect(text + JSON.stringify(answer)).not.toContain(canary);
    const fresh = again(ports);
    for (const [environment, names, service] of apps) {
      const shown = await execute(ecosystemShow, fresh, { environment, service }, caller);
      expect(shown.apps.map(({ name }) => name)).toEqual(names);
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
  });

  test("a second run changes no byte", async () => {
    const ports = repository({ "main.js": "", ...files });
    await execute(projectInit, ports, { write: true }, caller);
    const before = ["svcm.yaml", ".gitignore"].map((name) => readFileSync(`${ports.workspace.root}/${name}`, "utf8"));
    const { plan, written } = await execute(projectInit, again(ports), { write: true }, caller);
    expect([plan, written]).toEqual([[], []]);
    expect(["svcm.yaml", ".gitignore"].map((name) => readFileSync(`${ports.workspace.root}/${name}`, "utf8"))).toEqual(
      before,
    );
  });
});

test("svcm init without write changes nothing, and writes nothing but svcm.yaml and .gitignore with it", async () => {
  const ports = repository({ "ecosystem.config.js": js(app("api")), ".gitignore": "node_modules" });
  const { plan } = await execute(projectInit, ports, { write: false }, caller);
  const { root } = ports.workspace;
  expect(plan.map(({ path }) => path)).toEqual([`${root}/svcm.yaml`, `${root}/.gitignore`]);
  expect(existsSync(`${root}/svcm.yaml`)).toBe(false);
  await execute(projectInit, ports, { write: true }, caller);
  expect(readFileSync(`${root}/.gitignore`, "utf8")).toBe("node_modules\n.svcm/\n");
});

test("svcm init proposes no key that the contract refuses to show, and keeps switches with secret names back", async () => {
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

test("a second svcm init adds the keys that are new, and keeps every other byte", async () => {
  const ports = repository({ ".env": "PORT=1\n", "ecosystem.config.js": js(app("api")) });
  const { root } = ports.workspace;
  await execute(projectInit, ports, { write: true }, caller);
  const edited = `# ours\n${readFileSync(`${root}/svcm.yaml`, "utf8").replace(", guess: its value is a port", "")}`;
  writeFileSync(`${root}/svcm.yaml`, edited);
  writeFileSync(`${root}/.env`, "PORT=1\nREGION=eu\n");
  await execute(projectInit, again(ports), { write: true }, caller);
  const after = readFileSync(`${root}/svcm.yaml`, "utf8");
  expect(after.startsWith(edited.trimEnd())).toBe(true);
  expect(after.slice(edited.trimEnd().length)).toContain("REGION");
});

function repository(files: Readonly<Record<string, string>>): Ports {
  return makeWorkspace(files, ENV).ports;
}

/** The same repository, seen by another command. */
function again({ workspace: { root } }: Ports): Ports {
  return nodePorts({ root, env: { PM2_HOME: `${root}/.pm2`, ...ENV }, cwd: root });
}
