/** Shapes of public repositories in which a guess would say something false about what runs. */
import { describe, expect, test } from "vitest";
import {
  commandLineCaller,
  ecosystemShow,
  execute,
  nodePorts,
  projectInit,
  rolloutPlan,
} from "../../../src/core/index.ts";
import { js } from "../../support/own-projects.ts";
import { proposalIn } from "../../support/proposal.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();
const app = (name: string, script: string, more = ""): string => `{ name: "${name}", script: "${script}"${more} }`;
const scripts = (all: Readonly<Record<string, string>>): string => JSON.stringify({ name: "m", scripts: all });
const workflow = (command: string): string =>
  `jobs:\n  deploy:\n    steps:\n      - run: |\n          cd /var/www/shop\n          ${command}\n`;
const PRODUCTION = ", env_production: { NODE_ENV: 'production', PORT: 3001 }";

async function initIn(files: Readonly<Record<string, string>>) {
  const { ports, root } = makeWorkspace({ "a.js": "", ...files }, { PATH: process.env["PATH"] ?? "" });
  const { found } = await execute(projectInit, ports, { write: true }, caller);
  const fresh = nodePorts({ root, env: { PM2_HOME: `${root}/.pm2`, PATH: process.env["PATH"] ?? "" }, cwd: root });
  const names = async (environment: string, service?: string): Promise<string[]> => {
    const { apps } = await execute(ecosystemShow, fresh, { environment, service }, caller);
    return apps.map(({ name }) => name);
  };
  return { ...proposalIn(ports), found, names, ports: fresh };
}

describe("one app is counted once", () => {
  test("a root with env files only gets no PM2 file whose apps run elsewhere", async () => {
    const { services, names } = await initIn({
      "package.json": '{"name":"m"}',
      "api/package.json": '{"name":"api"}',
      "api/a.js": "",
      "ecosystem.config.js": js("{ name: 'api', cwd: './api', script: 'a.js' }"),
      ".env.production": "PORT=1\n",
      "api/.env.production": "PORT=2\n",
    });
    expect(services).toMatchObject({ api: { apps: ["api"] } });
    expect(services?.["main"]).toEqual({ env: { production: ".env.production" } });
    expect(await names("production")).toEqual(["api"]);
  });

  test("a service keeps the apps of the service's PM2 file beside those of the root's", async () => {
    const { names, services } = await initIn({
      "package.json": '{"name":"m"}',
      "backend/package.json": '{"name":"b"}',
      "backend/w.js": "",
      "backend/a.js": "",
      "ecosystem.config.js": js("{ name: 'api', cwd: './backend', script: 'a.js' }", app("web", "web.js")),
      "backend/pm2.json": '{"apps":[{"name":"worker","script":"w.js"}]}',
      "web.js": "",
    });
    expect((await names("production")).toSorted()).toEqual(["api", "web", "worker"]);
    expect(services).toMatchObject({ backend: { apps: ["api", "worker"] }, main: { apps: ["web"] } });
  });
});

test.each([
  [[".env.example", ".env.production.example", "config/.env.sample"], ".env.example"],
  [[".env.production.example", "config/.env.sample"], "config/.env.sample"],
  [[".env.production.example"], ".env.production.example"],
])("of the templates %j, the plainest stands for every environment", async (templates, template) => {
  const { template: chosen } = await initIn({
    "ecosystem.config.js": js(app("shop", "a.js")),
    ...Object.fromEntries(templates.map((path) => [path, "PORT=\n"])),
  });
  expect(chosen).toBe(template);
});

describe("alternatives are never joined", () => {
  test("each workflow with its own file has its own environment", async () => {
    const { ecosystem, names } = await initIn({
      "ecosystem.config.js": js(app("shop-staging", "a.js", PRODUCTION)),
      "ecosystem.production.config.js": js(app("shop", "a.js", PRODUCTION)),
      ".github/workflows/staging.yml": workflow("pm2 startOrReload ecosystem.config.js --env production"),
      ".github/workflows/production.yml": workflow("pm2 startOrReload ecosystem.production.config.js --env production"),
    });
    expect(ecosystem).toEqual({
      staging: { file: "ecosystem.config.js", env: "production" },
      production: { file: "ecosystem.production.config.js", env: "production" },
    });
    expect([await names("staging"), await names("production")]).toEqual([["shop-staging"], ["shop"]]);
  });

  test("the file that a script calls wins over one that nothing calls", async () => {
    const { ecosystem, found } = await initIn({
      "package.json": scripts({ "deploy:prod": "npm run build && pm2 start ecosystem.prod.config.js" }),
      "ecosystem.config.js": js(app("book", "server.js", ", env: { NODE_ENV: 'production', PORT: 3000 }")),
      "ecosystem.prod.config.js": js(app("book-prod", "server.js", ", env: { NODE_ENV: 'production', PORT: 3000 }")),
      "server.js": "",
    });
    expect(ecosystem).toEqual({ production: "ecosystem.prod.config.js" });
    expect(found.undecided).toEqual([]);
  });

  test.each([
    ["is left out if nothing starts it", "", true],
    ["is the one of the team if a script starts it, too", "pm2 start ecosystem.config.js", false],
  ])("a file whose program a command starts without it %s", async (_how, start, isLeftOut) => {
    const { ecosystem, found } = await initIn({
      "package.json": scripts({ deploy: "pm2 start server.js", ...(start && { start }) }),
      "ecosystem.config.js": js(app("shop", "server.js")),
      "server.js": "",
    });
    expect(Object.values(ecosystem ?? {})).toEqual(isLeftOut ? [] : ["ecosystem.config.js"]);
    expect(found.undecided.map(({ file }) => file)).toEqual(isLeftOut ? ["ecosystem.config.js"] : []);
  });

  test("where nothing decides, both are left out, and plan refuses until a user confirms", async () => {
    const files = {
      "ecosystem.cluster.config.js": js(app("api", "a.js", ", instances: 2")),
      "ecosystem.simple.config.js": js(app("api-simple", "a.js")),
    };
    const { ecosystem, found, ports } = await initIn(files);
    expect(ecosystem).toBeUndefined();
    expect(found.undecided.map(({ file }) => file).toSorted()).toEqual(Object.keys(files));
    const { issues } = await execute(rolloutPlan, ports, { environment: "production" }, caller);
    expect(issues.map(({ code }) => code)).toEqual(["LAYOUT_UNDECIDED", "LAYOUT_UNDECIDED"]);
    await execute(projectInit, ports, { write: true, confirm: true }, caller);
    expect(proposalIn(ports)).not.toHaveProperty("undecided");
    const confirmed = nodePorts({ root: ports.workspace.root, env: {}, cwd: ports.workspace.root });
    expect((await execute(rolloutPlan, confirmed, { environment: "production" }, caller)).issues).toEqual([]);
  });

  test("a file beside the one that a workflow starts is not joined, because nothing starts it", async () => {
    const { ecosystem, found } = await initIn({
      "ecosystem.config.js": js(app("portal", "a.js")),
      "pm2.dealer.config.js": js(app("dealer-portal", "dealer.js")),
      ".github/workflows/deploy.yml": workflow("pm2 restart ecosystem.config.js"),
    });
    expect(ecosystem).toEqual({ production: "ecosystem.config.js" });
    expect(found.undecided).toMatchObject([{ file: "pm2.dealer.config.js" }]);
  });

  test("files that each deploy themselves are one service each, and share no list", async () => {
    const file = (part: string): string =>
      `module.exports = { apps: [${app(part, `${part}.js`)}, ${app("proxy", "proxy.js")}], deploy: { production: { host: "h", "post-deploy": "npm ci && pm2 startOrReload ecosystem-${part}.config.js --env production" } } };`;
    const { services, names } = await initIn({
      "ecosystem-web.config.js": file("web"),
      "ecosystem-caldav.config.js": file("caldav"),
    });
    expect(Object.keys(services ?? {}).toSorted()).toEqual(["caldav", "web"]);
    expect(await names("production", "web")).toEqual(["web", "proxy"]);
  });

  test("--only of a script limits the environment that the script is for", async () => {
    const { names } = await initIn({
      "package.json": scripts({
        "deploy:prod": "pm2 start ecosystem.config.js --only prod",
        "deploy:dev": "pm2 start ecosystem.config.js --only dev",
      }),
      "ecosystem.config.js": js(app("prod", "a.js"), app("dev", "a.js")),
    });
    expect([await names("production"), await names("dev")]).toEqual([["prod"], ["dev"]]);
  });
});

describe("the folder of the call", () => {
  test("a file in a subfolder that the root's script starts is read from the root", async () => {
    const { ecosystem, ...rest } = await initIn({
      "package.json": scripts({ "start:prod": "pm2 start apps/server/ecosystem.config.js --env production" }),
      "apps/server/package.json": '{"name":"server"}',
      "apps/server/main.js": "",
      "apps/server/ecosystem.config.js": js(app("server", "apps/server/main.js", PRODUCTION)),
    });
    expect(rest).not.toHaveProperty("folder");
    expect(ecosystem).toMatchObject({ production: { file: "apps/server/ecosystem.config.js", env: "production" } });
  });
});

describe("environments", () => {
  test("no default where two environments start the same app", async () => {
    const two = await initIn({ "ecosystem.config.js": js(app("api", "a.js", `, env: { PORT: 1 }${PRODUCTION}`)) });
    expect(Object.keys(two.environments)).toEqual(["dev", "production"]);
    expect(two.default).toBeUndefined();
    await expect(execute(rolloutPlan, two.ports, {}, caller)).rejects.toMatchObject({
      body: { code: "ENVIRONMENT_REQUIRED" },
    });
    const one = await initIn({ "ecosystem.config.js": js(app("api", "a.js")) });
    expect(one.default).toBe("production");
  });

  test("a block of a file that is named for another environment counts, too", async () => {
    const { ecosystem } = await initIn({
      "ecosystem.prod.config.js": js(app("api", "a.js", `${PRODUCTION}, env_staging: { PORT: 2 }`)),
    });
    expect(ecosystem).toEqual({
      staging: { file: "ecosystem.prod.config.js", env: "staging" },
      production: { file: "ecosystem.prod.config.js", env: "production" },
    });
  });

  test("an env file of a part, such as .env.postgres, is not an environment", async () => {
    const { environments, found } = await initIn({ ".env": "PORT=1\n", ".env.postgres": "POSTGRES_DB=x\n" });
    expect(Object.keys(environments)).toEqual(["dev"]);
    expect(found.notUnderstood.map(({ path }) => path)).toContain(".env.postgres");
  });

  test("the root's template is kept where all PM2 files lie below", async () => {
    const { services } = await initIn({
      ".env.example": "PORT=1\n",
      "package.json": '{"name":"m"}',
      "apps/core/package.json": '{"name":"core"}',
      "apps/core/ecosystem.config.js": js(app("core", "a.js")),
      "apps/core/a.js": "",
      "apps/core/scripts/.env.example": "TOKEN=\n",
    });
    expect(services).toMatchObject({ main: { template: ".env.example" } });
    expect(services?.["core"]).not.toHaveProperty("template");
  });
});

test("apps of one file that differ by the environment in their names belong to one environment each", async () => {
  const variants = [app("prod_shop", "bin/www"), app("staging_shop", "bin/www"), app("mailer", "mail.js")];
  const files = { "bin/www": "", "mail.js": "", "ecosystem.config.js": js(...variants) };
  const { ecosystem, names, ...rest } = await initIn(files);
  expect(ecosystem).toEqual({
    staging: { file: "ecosystem.config.js", only: ["staging_shop", "mailer"] },
    production: { file: "ecosystem.config.js", only: ["prod_shop", "mailer"] },
  });
  expect(rest.default).toBeUndefined();
  expect(await names("production")).toEqual(["prod_shop", "mailer"]);
  // A command that starts all of them says more.
  const whole = await initIn({ ...files, "deploy.sh": "pm2 startOrReload ecosystem.config.js\n" });
  expect(await whole.names("production")).toEqual(["prod_shop", "staging_shop", "mailer"]);
});

describe("env files that are combined", () => {
  const ecosystem = { "ecosystem.config.js": js(app("api", "a.js")) };
  const filesOf = (names: string): Record<string, string> =>
    Object.fromEntries(names.split(" ").map((name) => [name, "PORT=1\n"]));

  test.each([
    [".env.local is no environment", ".env .env.local", "", { production: [".env", ".env.local"] }],
    [
      "an environment with a file",
      ".env .env.local .env.production",
      "",
      { dev: [".env", ".env.local"], production: [".env", ".env.production"] },
    ],
    [
      "Next.js",
      ".env .env.development .env.local .env.production .env.production.local .env.test",
      "next",
      {
        dev: [".env", ".env.development", ".env.local"],
        test: [".env", ".env.test"],
        production: [".env", ".env.production", ".env.local", ".env.production.local"],
      },
    ],
    [
      "Next.js without .env.local",
      ".env .env.production",
      "next",
      { dev: ".env", production: [".env", ".env.production"] },
    ],
    [
      "dotenv-flow",
      ".env .env.local .env.production .env.production.local",
      "dotenv-flow",
      { dev: [".env", ".env.local"], production: [".env", ".env.local", ".env.production", ".env.production.local"] },
    ],
    ["one file an environment", ".env .env.production", "", { dev: ".env", production: ".env.production" }],
  ])("%s", async (_name, names, library, env) => {
    const manifest = JSON.stringify({ name: "m", dependencies: library === "" ? {} : { [library]: "*" } });
    const proposed = await initIn({ ...ecosystem, "package.json": manifest, ...filesOf(names) });
    expect(proposed).toMatchObject({ env });
  });
});

describe("templates", () => {
  const ecosystem = { "ecosystem.config.js": js(app("api", "a.js", `, env: { PORT: 1 }${PRODUCTION}`)) };

  test("the template of .env wins over those of other files, which are named or left out", async () => {
    const { found, ...proposed } = await initIn({
      ...ecosystem,
      ".env.deploy.example": "DEPLOY_HOST=\n",
      ".env.development.example": "PORT=\n",
      ".env.example": "PORT=\n",
    });
    const env = { dev: ".env.development", production: ".env" };
    expect(proposed).toMatchObject({ template: ".env.example", env });
    expect(found.notUnderstood.map(({ path }) => path)).toContain(".env.deploy.example");
  });

  test("the template of a tool's file says nothing about the env file of an app", async () => {
    const proposed = await initIn({ ...ecosystem, ".env.session-cleanup.example": "DRY_RUN=\n" });
    expect(proposed).not.toHaveProperty("template");
    expect(proposed).not.toHaveProperty("env");
  });
});
