import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { SaxesParser } from "saxes";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Answer {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly checks: readonly { readonly check: string; readonly status: string }[];
  readonly issues: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
  readonly nextSteps: Readonly<Record<string, string>>;
}

const CANARY = "canary-4f21";
const PROJECT = `version: 1
environments: { dev: [], production: [prod] }
ecosystem: { dev: ecosystem.config.js, production: { file: ecosystem.config.js, env: production } }
env: { dev: [.env, .env.local], production: .env.production }
template: .env.example
keys:
  PORT: { kind: port, tier: read-only }
  DATABASE_URL: { kind: connection-url }
`;
const ECOSYSTEM = `module.exports = { apps: [{ name: "shop", script: "./shop.js",
  env: { NODE_ENV: "development" }, env_production: { NODE_ENV: "production" } }] };`;
const SECRET = `DATABASE_URL=postgres://shop:${CANARY}@db/shop\n`;
const KEYS = `PORT=3000\n${SECRET}`;
const GOOD = {
  "svcm.yaml": PROJECT,
  "ecosystem.config.js": ECOSYSTEM,
  "shop.js":
    "process.loadEnvFile?.(); const { PORT, DATABASE_URL } = process.env; if (!PORT) throw new Error(DATABASE_URL);",
  ".env": KEYS,
  ".env.local": "PORT=3001\n",
  ".env.production": KEYS,
  ".env.example": "PORT=3000\nDATABASE_URL=\n",
};
/** No program can listen on port 0. */
const PROTECTED = {
  SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: `${CANARY}-token-of-the-service`,
  SVC_SERVICE_MANAGEMENT_PORT: "0",
};

type Files = Readonly<Record<string, string | undefined>>;

function repository(files: Files): string {
  const entries = Object.entries({ ...GOOD, ...files }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return makeWorkspace(Object.fromEntries(entries)).root;
}

async function examined(root: string, ...flags: string[]): Promise<Answer & { readonly code: number | null }> {
  const { code, stdout, stderr } = await svcm(["doctor", "--json", ...flags], { root, env: PROTECTED });
  expect(stderr).toBe("");
  expect(stdout).not.toContain(CANARY);
  return { ...(JSON.parse(stdout) as Answer), code };
}

describe("svcm doctor", () => {
  test("finds nothing in a valid repository, and says which files it uses and why", async () => {
    const root = repository({});
    const { code, facts, checks, issues } = await examined(root, "--offline");
    expect({ code, issues }).toEqual({ code: 0, issues: [] });
    expect(checks.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "skipped", "skipped", "ok"]);
    expect(facts).toMatchObject({
      node: process.version,
      root,
      rootBy: "svcm.yaml",
      pm2Home: `${root}/.pm2`,
      pm2HomeBy: null,
      contract: { source: "svcm.yaml", keys: 2, guesses: 0 },
      defaultEnvironment: null,
      hasToken: true,
    });
    expect(facts["files"]).toContainEqual({
      kind: "env",
      environment: "dev",
      service: "",
      path: ".env",
      exists: true,
      overridden: ["PORT"],
    });
    const { stdout } = await svcm(["doctor", "--offline"], { root, env: PROTECTED });
    expect(stdout).toMatch(/^Root +\S+ \(by svcm\.yaml\)$/m);
    expect(stdout).toMatch(/^ok {6}Layout$/m);
    expect(stdout).not.toContain(CANARY);
  });

  longTest("says that no PM2 daemon is running, and does not start one", async () => {
    const root = repository({});
    const { code, issues, facts } = await examined(root);
    expect({ code, codes: issues.map((issue) => issue.code) }).toMatchObject({ code: 0, codes: ["PM2_NOT_RUNNING"] });
    expect(facts["daemon"]).toBeNull();
    expect(existsSync(`${root}/.pm2`)).toBe(false);
  });

  longTest("says whether the address of svcm serve is free, in use or invalid", async () => {
    const root = repository({});
    const server = createServer((_, response) => response.end("hello"));
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const checkAddress = async (given: string) => {
      const env = { SVC_SERVICE_MANAGEMENT_PORT: given };
      const { stdout } = await svcm(["doctor", "--json"], { root, env });
      const { facts, issues } = JSON.parse(stdout) as Answer;
      return [facts["service"], issues.map((issue) => issue.code).filter((code) => code.startsWith("PROJECT_"))];
    };
    const address = `127.0.0.1:${port}`;
    expect(await checkAddress(String(port))).toEqual([{ address, answer: "other" }, ["PROJECT_ADDRESS_TAKEN"]]);
    expect(await checkAddress("http")).toEqual([{ address: null, answer: "nothing" }, ["PROJECT_ADDRESS_INVALID"]]);
    await new Promise((resolve) => server.close(resolve));
    expect(await checkAddress(String(port))).toEqual([{ address, answer: "nothing" }, []]);
  });

  test("suggests svcm init in a repository without svcm.yaml", async () => {
    const root = repository({ "svcm.yaml": undefined });
    const { code, stdout } = await svcm(["doctor", "--offline"], { root });
    expect(code).toBe(1);
    expect(stdout).toContain(`ecosystem files ${root}/pm2`);
    expect(stdout).toMatch(/the repository has no svcm\.yaml, so svcm does not use ecosystem\.config\.js.*\.env/);
    expect(stdout).toMatch(/Next step: Run svcm init/);
  });

  test("says that it examined no app in an empty folder", async () => {
    const { code, stdout } = await svcm(["doctor", "--offline"], { root: temporaryFolder() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^0 errors, 1 warning\.\nwarning Layout\n/)]);
    expect(stdout).toContain("no svcm.yaml, ecosystem file or env file is here, so no app is examined");
  });

  longTest("runs only the ecosystem file of the repository", async () => {
    const write = (name: string) => `require("fs").writeFileSync(${JSON.stringify("ran-")} + "${name}", "");`;
    const root = repository({
      "ecosystem.config.js": `${write("ecosystem")}${ECOSYSTEM}`,
      "shop.js": `${write("shop")}${GOOD["shop.js"]}`,
      "package.json": '{ "scripts": { "postinstall": "touch ran-script" } }',
    });
    await examined(root);
    expect(["ecosystem", "shop", "script"].filter((name) => existsSync(`${root}/ran-${name}`))).toEqual(["ecosystem"]);
  });
});

/** The second run shows which values differ from run to run. */
test("svcm doctor runs an ecosystem file that several environments share only twice, for all of them", async () => {
  const count = 'require("fs").appendFileSync(__dirname + "/runs", "x");';
  const root = repository({ "ecosystem.config.js": `${count}${ECOSYSTEM}` });
  await examined(root, "--offline");
  expect(readFileSync(`${root}/runs`, "utf8")).toBe("xx");
});

const LOCKED = 'DOTENV_PUBLIC_KEY_PRODUCTION="03ab"\nPORT="encrypted:BDqDBibm4"\n';

const findings: readonly (readonly [title: string, files: Files, code: string, message: RegExp])[] = [
  ["an env file that no environment names", { ".env.staging": KEYS }, "PROJECT_FILE_UNNAMED", /\.env\.staging/],
  ["an ecosystem file that is missing", { "ecosystem.config.js": undefined }, "PROJECT_FILE_MISSING", /ecosystem file/],
  ["an env file that is missing", { ".env.production": undefined }, "PROJECT_FILE_MISSING", /env file .*production/],
  [
    "an environment without files",
    { "svcm.yaml": PROJECT.replace("dev: [],", "dev: [], qa: [],") },
    "PROJECT_ENVIRONMENT_BARE",
    /environment qa/,
  ],
  ["a TypeScript ecosystem file", { "ecosystem.config.ts": "export {};" }, "PROJECT_FILE_AS_SCRIPT", /config\.ts/],
  ["an ES module that PM2 cannot load", { "package.json": '{"type":"module"}' }, "ECOSYSTEM_FILE_ES_MODULE", /module/],
  [
    "a dependency that is not installed",
    { "ecosystem.config.js": `require("absent-package"); ${ECOSYSTEM}` },
    "ECOSYSTEM_MODULE_NOT_FOUND",
    /absent-package/,
  ],
  [
    "a field that PM2 ignores",
    { "ecosystem.config.js": ECOSYSTEM.replace("script:", 'env_file: ".env", script:') },
    "ECOSYSTEM_FIELD_UNKNOWN",
    /env_file/,
  ],
  [
    "a block that no environment uses",
    { "ecosystem.config.js": ECOSYSTEM.replace("env:", "env_uat: { A: 1 }, env:") },
    "ECOSYSTEM_ENV_BLOCK_UNUSED",
    /env_uat/,
  ],
  [
    "a variable that the file takes from the shell",
    { "ecosystem.config.js": ECOSYSTEM.replace('"development"', '"development", REGION: process.env.REGION') },
    "PROCESS_VARIABLE_UNSET",
    /shop: REGION has no value/,
  ],
  [
    "a secret name with a public prefix",
    { ".env": `${KEYS}VITE_API_SECRET=${CANARY}\n`, ".env.example": "PORT=\nDATABASE_URL=\nVITE_API_SECRET=\n" },
    "PROJECT_SECRET_PUBLIC",
    /VITE_API_SECRET/,
  ],
  [
    "a template that lacks a key",
    { ".env.example": "PORT=\n" },
    "ENV_TEMPLATE_SURPLUS_KEY",
    /DATABASE_URL is in \.env, but not in \.env\.example/,
  ],
  [
    "an env file that lacks a key",
    { ".env.production": SECRET },
    "ENV_TEMPLATE_MISSING_KEY",
    /PORT is in .*production/,
  ],
  ["a key that only the code names", { "a.js": "process.env.ONLY_HERE" }, "PROJECT_KEYS_UNSET", /reads ONLY_HERE/],
  ["a key that no code names", { ".env.production": `${KEYS}OLD_FLAG=1\n` }, "PROJECT_KEYS_UNUSED", /set OLD_FLAG/],
  ["an encrypted file without its tool", { ".env.production": LOCKED }, "PROJECT_DOTENVX_MISSING", /dotenvx/],
  [
    "a guess of svcm init",
    { "svcm.yaml": `${PROJECT}  REGION: { kind: text, tier: read-only, guess: it is a name }\n` },
    "PROJECT_KEYS_GUESSED",
    /1 key is a guess.*REGION/,
  ],
  ["an invalid svcm.yaml", { "svcm.yaml": `${PROJECT}colour: red\n` }, "FACT_UNKNOWN_KEY", /colour/],
  [
    "a value that the contract refuses",
    { ".env.production": "PORT=none\nDATABASE_URL=\n" },
    "ENV_VALUE_UNSUPPORTED",
    /PORT/,
  ],
];

describe("svcm doctor finds", () => {
  longTest.each(findings)("%s", async (_, files, code, message) => {
    const root = repository(files);
    const { issues, nextSteps } = await examined(root);
    const found = issues.filter((issue) => issue.code === code);
    expect(found.map((issue) => issue.message).join("\n")).toMatch(message);
    expect(nextSteps[code]).toMatch(/\.$/);
  });

  longTest("a code whose next step svcm explain prints as well", async () => {
    const root = repository({ ".env.production": LOCKED });
    const { nextSteps } = await examined(root);
    const explained = await svcm(["explain", "PROJECT_DOTENVX_MISSING"], { root });
    expect(explained.stdout).toContain(`Next step: ${nextSteps["PROJECT_DOTENVX_MISSING"]}`);
  });

  longTest("an env file with secrets that Git tracks or does not ignore, but no ignored one", async () => {
    const root = repository({ ".gitignore": ".env.local\n.env.production\n" });
    const git = (...argv: string[]) =>
      execFileSync("git", argv, { cwd: root, env: { ...process.env, ...GIT_ENVIRONMENT } });
    git("init", "-q");
    const found = async () => (await examined(root, "--offline")).issues.map((issue) => issue.message);
    expect(await found()).toEqual(["Git does not ignore .env, which holds DATABASE_URL"]);
    git("add", ".env", ".env.example");
    expect(await found()).toEqual(["Git tracks .env, which holds DATABASE_URL"]);
    writeFileSync(`${root}/.env`, "PORT=3000\nDATABASE_URL=postgres://localhost/shop\n");
    expect(await found()).toEqual([]);
  });
});

test("svcm doctor does not read the lines of a private key as names of keys", async () => {
  const lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ", "Canary7xPart9==", "canary4f21Q=="];
  const root = repository({ ".env.production": `${KEYS}${lines.join("\n")}\n` });
  const stdout: unknown = expect.not.stringMatching(/canary|MIIEv/i);
  expect(await svcm(["doctor", "--offline", "--json"], { root })).toMatchObject({ code: 1, stdout });
});

describe("each format of the report", () => {
  const root = () =>
    repository({ ".env.staging": KEYS, "ecosystem.config.js": undefined, ".env.production": `${KEYS}X=$${CANARY}\n` });
  const report = async (format: string) => {
    const { code, stdout, stderr } = await svcm(["doctor", "--offline", "--format", format], {
      root: root(),
      env: PROTECTED,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).not.toContain(CANARY);
    return stdout;
  };

  test("github has a command for each finding, with its file", async () => {
    expect(await report("github")).toMatch(/^::warning file=\.env\.staging,line=1,col=1,title=PROJECT_FILE_UNNAMED::/m);
  });

  test("sarif has the next step of each rule", async () => {
    const { runs } = JSON.parse(await report("sarif")) as {
      runs: { tool: { driver: { rules: { id: string; help: { text: string } }[] } }; results: unknown[] }[];
    };
    const rules = runs[0]?.tool.driver.rules ?? [];
    expect(rules.find(({ id }) => id === "PROJECT_FILE_UNNAMED")?.help.text).toMatch(/svcm\.yaml/);
    expect(runs[0]?.results.length).toBeGreaterThan(2);
  });

  test("junit has a case for each check", async () => {
    const names: (string | undefined)[] = [];
    const parser = new SaxesParser();
    parser.on("opentag", ({ name, attributes }) => name === "testcase" && names.push(attributes["name"]));
    parser.write(await report("junit")).close();
    expect(names).toEqual(["svcm.yaml", "layout", "ecosystem", "env", "running", "boot", "keys"]);
  });
});
