import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve, svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, makeWorkspace } from "../support/workspace.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/ecosystem/repository");
const PATH = "/api/runtime/pm2-ecosystem";
const spellings = ["dev", "development", "staging", "production", "prod", "ci", "test"];

function repository(): string {
  const { root } = makeWorkspace({ [`${CONFIG_FOLDER}/.env.dev`]: "SVC_REDIS_PASSWORD=canary-env-file\n" });
  cpSync(FIXTURE, root, { recursive: true });
  return root;
}

async function get(url: string, query: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}${PATH}${query}`);
  return { status: response.status, text: await response.text() };
}

longTest("HTTP and --json return the same, without a secret", async () => {
  const root = repository();
  const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "canary-auth-token", SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "trace" };
  const server = await serve({ root, env });
  const outputs: string[] = [];
  const environments = ["dev", " PROD ", "staging", "test", "qa"];
  for (const environment of sampleOrAll(environments, environments.slice(0, 2))) {
    for (const serviceKind of [undefined, "websocket-rest-api", "nothing"]) {
      const kind = serviceKind === undefined ? [] : ["--service-kind", serviceKind];
      const cli = await svcm(["ecosystem", "show", "-e", environment, ...kind, "--json"], { root, env });
      const query = new URLSearchParams({ environment, ...(serviceKind && { serviceKind }) });
      const http = await get(server.url, `?${query}`);
      expect(JSON.parse(http.text)).toEqual(JSON.parse(cli.stdout));
      expect({ environment, serviceKind, isGood: http.status === 200 }).toEqual({
        environment,
        serviceKind,
        isGood: cli.code === 0,
      });
      outputs.push(http.text, cli.stdout, cli.stderr);
    }
    for (const command of ["show", "check"]) {
      const { stdout, stderr } = await svcm(["ecosystem", command, "-e", environment], { root, env });
      outputs.push(stdout, stderr);
    }
    const check = await svcm(["ecosystem", "check", "-e", environment, "--json"], { root, env });
    outputs.push(check.stdout);
  }
  const planted = readdirSync(join(root, "pm2")).map((file) => readFileSync(join(root, "pm2", file), "utf8"));
  expect(planted.join("").match(/canary/g)?.length).toBeGreaterThan(5);
  expect(outputs.join("\n")).toContain("[REDACTED]");
  expect(`${outputs.join("\n")}${server.log()}`).not.toMatch(/canary/);
});

/** The text is split so that secret scanners do not report this file. */
const hex = "4be1c27f90d3".repeat(6);
const SECRETS: Readonly<Record<string, unknown>> = {
  QINIU_SK: "canary-1",
  SUPABASE_SERVICE_ROLE: "canary-2",
  MNEMONIC: "canary legal winner thank year wave",
  SEED_PHRASE: "canary seed words",
  DB_PW: "canary-5",
  ENCRYPTION_IV: "canary-6",
  RPC_URL: `https://eth.example.com/v2/canary${hex.slice(0, 26)}`,
  SLACK_URL: "https://hooks.slack.com/services/T0/B0/canary",
  WALLET: `0x${hex.slice(0, 64)}`,
  STRIPE: `sk_live_canary${hex.slice(0, 20)}`,
  MIRROR: "https://u:canary-11@mirror.example.com",
  SIGNER: "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----",
  SESSION: `eyJcanary${hex.slice(0, 20)}.${hex.slice(0, 30)}.${hex.slice(0, 20)}`,
  NESTED: { database: { password: "canary-14", poolSize: 5, region: "eu-1" } },
  JSON_TEXT: JSON.stringify([{ apiKey: "canary-15", name: "main" }]),
  MONKEY: "banana",
  KEYBOARD: "de",
};
const ECOSYSTEM = `module.exports = { apps: [{ name: "one", script: "a.js", env: ${JSON.stringify(SECRETS)} }] };`;

async function shownEnv(contract: Readonly<Record<string, string>>): Promise<unknown> {
  const { root } = makeWorkspace({ "pm2/ecosystem.dev.config.cjs": ECOSYSTEM, ...contract });
  const server = await serve({ root });
  const http = await get(server.url, "?environment=dev");
  const cli = await svcm(["ecosystem", "show", "-e", "dev", "--json"], { root });
  const text = await svcm(["ecosystem", "show", "-e", "dev"], { root });
  const check = await svcm(["ecosystem", "check", "-e", "dev", "--json"], { root });
  expect([http.text, cli.stdout, text.stdout, check.stdout, server.log()].join("\n")).not.toMatch(/canary|4be1c27f/);
  expect(JSON.parse(http.text)).toEqual(JSON.parse(cli.stdout));
  return JSON.parse(http.text).apps[0].env;
}

longTest("with the packaged contract, the names and formats of values decide whether a value is hidden", async () => {
  expect(await shownEnv({})).toEqual({
    ...Object.fromEntries(Object.keys(SECRETS).map((name) => [name, "[REDACTED]"])),
    NESTED: '{"database":{"password":"[REDACTED]","poolSize":5,"region":"eu-1"}}',
    JSON_TEXT: '[{"apiKey":"[REDACTED]","name":"main"}]',
    MONKEY: "banana",
    KEYBOARD: "de",
  });
});

longTest("with the repository's contract, a key that the contract does not list is hidden", async () => {
  const packaged = readFileSync(join(import.meta.dirname, "../../config/runtime-contract.yaml"), "utf8");
  const own = packaged.replace(
    /^keys:\n/m,
    "keys:\n  MONKEY: { tier: read-only, kind: text, label: Monkey, help: A word }\n",
  );
  expect(await shownEnv({ "config/runtime-contract.yaml": own })).toEqual({
    ...Object.fromEntries(Object.keys(SECRETS).map((name) => [name, "[REDACTED]"])),
    MONKEY: "banana",
  });
});

test("the answer has the environment as it was spelled in the request", async () => {
  const server = await serve({ root: repository() });
  const answers = await Promise.all(
    spellings.map(async (environment) => JSON.parse((await get(server.url, `?environment=${environment}`)).text)),
  );
  expect(
    answers.map(({ environment, fileName, exists, apps }) => [environment, fileName, exists, apps.length]),
  ).toEqual([
    ["dev", "ecosystem.dev.config.cjs", true, 3],
    ["development", "ecosystem.dev.config.cjs", true, 3],
    ["staging", "ecosystem.staging.config.cjs", true, 6],
    ["production", "ecosystem.production.config.mjs", true, 1],
    ["prod", "ecosystem.production.config.mjs", true, 1],
    ["ci", "ecosystem.ci.config.cjs", false, 0],
    ["test", "ecosystem.ci.config.cjs", false, 0],
  ]);
});

longTest("without an environment, NODE_ENV is used, and a configured folder is read", async () => {
  const root = repository();
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(root, "elsewhere/ecosystem.production.config.cjs"), "module.exports = { apps: [] };");
  const server = await serve({ root, env: { NODE_ENV: "production", SVC_SERVICE_MANAGEMENT_PM2_DIR: "elsewhere" } });
  expect(JSON.parse((await get(server.url, "")).text)).toEqual({
    environment: "production",
    fileName: "ecosystem.production.config.cjs",
    path: join(root, "elsewhere/ecosystem.production.config.cjs"),
    exists: true,
    apps: [],
  });
});

longTest("a broken file exits 3 with the body of the HTTP answer and does not show its source", async () => {
  const root = repository();
  const file = join(root, "pm2/ecosystem.dev.config.cjs");
  writeFileSync(file, 'module.exports = { apps: [{ env: { TOKEN: "canary-broken" ] };');
  const server = await serve({ root });
  const http = await get(server.url, "?environment=dev");
  for (const verb of ["show", "check"]) {
    const cli = await svcm(["ecosystem", verb, "-e", "dev", "--json"], { root });
    expect(cli.code).toBe(3);
    expect(JSON.parse(cli.stdout)).toEqual(JSON.parse(http.text));
  }
  expect(http.status).toBe(500);
  expect(JSON.parse(http.text)).toEqual({
    error: "PM2 ecosystem file operation failed.",
    code: "ECOSYSTEM_FILE_SYNTAX",
    path: file,
    details: `Cannot load ${file}:1:59: the file is not valid JavaScript: Unexpected token ']'.`,
  });
});

test("an empty object in place of apps is an error, as it is in PM2", async () => {
  const { root } = makeWorkspace({ "pm2/ecosystem.dev.config.cjs": "module.exports = { apps: {} };" });
  const { code, stdout } = await svcm(["ecosystem", "show", "-e", "dev", "--json"], { root });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    3,
    { details: expect.stringContaining('"apps" is an empty object; expected a list of apps') },
  ]);
});
