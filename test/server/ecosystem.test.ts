/** One answer, whoever asks: the command line and HTTP over the same ecosystem files, and no secret in either. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve, svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, makeWorkspace } from "../support/workspace.ts";

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

test("HTTP and --json say the same, and neither says a secret", async () => {
  const root = repository();
  const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "canary-auth-token", SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "trace" };
  const server = await serve({ root, env });
  const said: string[] = [];
  for (const environment of ["dev", "staging", "test", "qa", " PROD "]) {
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
      said.push(http.text, cli.stdout, cli.stderr);
    }
    for (const command of ["show", "check"]) {
      const { stdout, stderr } = await svcm(["ecosystem", command, "-e", environment], { root, env });
      said.push(stdout, stderr);
    }
    const check = await svcm(["ecosystem", "check", "-e", environment, "--json"], { root, env });
    said.push(check.stdout);
  }
  const planted = readdirSync(join(root, "pm2")).map((file) => readFileSync(join(root, "pm2", file), "utf8"));
  expect(planted.join("").match(/canary/g)?.length).toBeGreaterThan(5);
  expect(said.join("\n")).toContain("[REDACTED]");
  expect(`${said.join("\n")}${server.log()}`).not.toMatch(/canary/);
});

test("a spelling is echoed as asked, and shares its file", async () => {
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

test("NODE_ENV decides where nothing is asked, and a folder of one's own is read", async () => {
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

test("a broken file exits 3 with the body of HTTP, and without its source", async () => {
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
    details: `Cannot load ${file}:1:59: the file is not valid JavaScript.`,
  });
});
