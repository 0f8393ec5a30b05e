/** `svcm/startup` as built, in separate programs, gives the same result as `svcm startup check`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StartupOptions } from "../../../src/core/startup/index.ts";
import type { EnvValues } from "../../../src/core/startup/read.ts";
import { REPOSITORY, svcm } from "../../support/command-line.ts";
import { ask, startupCheck } from "../../support/startup-library.ts";
import { CONFIG_FOLDER, makeWorkspace } from "../../support/workspace.ts";
import { firstOrAll, longTest } from "../../support/runs.ts";

const CONTRACT = "config/runtime-contract.yaml";
const packaged = readFileSync(join(REPOSITORY, CONTRACT), "utf8");
const widened = packaged.replace("      - fastify\n", "      - fastify\n      - hono\n");
const tightened = packaged.replace("      - fastify\n", "");
const formats = ["esm", "cjs"] as const;

interface Repository {
  readonly root: string;
  /** The working directory of the backend's process, two folders below the root. */
  readonly below: string;
  readonly path: (file: string) => string;
  readonly write: (file: string, text: string) => void;
}

function repository(contract: string, env: EnvValues): Repository {
  const lines = Object.entries(env).map(([key, value]) => `${key}=${value ?? ""}\n`);
  const files = { "deployments.yaml": "{}\n", [CONTRACT]: contract, [`${CONFIG_FOLDER}/.env.dev`]: lines.join("") };
  const workspace = makeWorkspace(files);
  const below = workspace.path("apps/backend-template");
  mkdirSync(below, { recursive: true });
  return { ...bound(workspace), below };
}

function bound(workspace: ReturnType<typeof makeWorkspace>): Omit<Repository, "below"> {
  const { root } = workspace;
  return { root, path: (file) => workspace.path(file), write: (file, text) => workspace.write(file, text) };
}

describe.each(firstOrAll(formats))("as %s, in a repository with its own runtime contract", (format) => {
  test.each(
    firstOrAll([
      ["widens", widened, "hono", true],
      ["widens", widened, "koa", false],
      ["tightens", tightened, "fastify", false],
      ["tightens", tightened, "express", true],
    ] as const),
  )("that %s it, the library and startup check agree", (_, contract, framework, mayStart) => {
    const values = { SVC_HTTP_FRAMEWORK: framework };
    const { root, below } = repository(contract, values);
    const { decision } = ask(below, values, {}, "rest", format);
    const { status, answer } = startupCheck(root, "rest");
    expect({ mayStart: decision.mayStart, status }).toEqual({ mayStart, status: mayStart ? 0 : 1 });
    expect(decision).toEqual({
      mayStart: answer.mayStart,
      issues: answer.issues,
      ...("plan" in answer && { plan: answer.plan }),
    });
  });
});

describe("the chosen contract", () => {
  const hono = { SVC_HTTP_FRAMEWORK: "hono" };

  test("the path of the option `contract`, from anywhere", () => {
    const { path } = repository(widened, {});
    expect(ask("/", hono, { contract: path(CONTRACT) }).decision.mayStart).toBe(true);
    expect(ask("/", hono).decision.mayStart).toBe(false);
  });

  longTest("in a deployment that is not a repository, the nearest contract", () => {
    const { path, below } = makeMarkerless();
    expect(ask(below, hono).decision.mayStart).toBe(true);
    expect(ask(path("."), hono).decision.mayStart).toBe(true);
  });

  longTest("without a contract, or with a copy of the packaged one, no YAML parser is loaded", () => {
    const { below } = repository(packaged, {});
    for (const cwd of ["/", below]) expect(ask(cwd, {}).loaded).toEqual(["lib/cjs/startup.js"]);
    expect(ask(repository(widened, {}).below, {}).loaded).toContain("contract-reader.cjs");
  });

  function makeMarkerless(): Repository {
    const workspace = bound(makeWorkspace({ [CONTRACT]: widened }));
    return { ...workspace, below: workspace.path(CONFIG_FOLDER) };
  }
});

describe("a contract that cannot be used makes the start fail", () => {
  test("one that is not valid, with the position of the error", () => {
    const { path, below } = repository(packaged.replace("kind: enum", "kind: enumeration"), {});
    const { decision } = ask(below, {});
    expect(decision.mayStart).toBe(false);
    expect(decision.issues[0]?.message).toMatch(new RegExp(`^${path(CONTRACT)}:\\d+:\\d+: keys.SVC_HTTP_FRAMEWORK`));
  });

  test.each([
    ["absent", "none.yaml", "ENOENT"],
    ["a folder", "config", "EISDIR"],
    ["a FIFO", "config/pipe", "ENOTREG"],
    ["too large", "config/large.yaml", "EFBIG"],
  ])("one that is %s", (_, file, code) => {
    const { path, write } = repository(packaged, {});
    spawnSync("mkfifo", [path("config/pipe")]);
    write("config/large.yaml", " ".repeat(2 ** 20 + 1));
    const { decision } = ask("/", {}, { contract: path(file) });
    expect(decision).toMatchObject({ mayStart: false, issues: [{ code: "FACT_INVALID" }] });
    expect(decision.issues[0]?.message).toContain(`cannot be read (${code})`);
  });

  longTest("one without the startup keys: the library refuses, and startup check exits 2", () => {
    const own =
      packaged.slice(0, packaged.indexOf("keys:")) +
      "keys:\n  PORT: { tier: read-only, kind: text, label: Port, help: Port of the service. }\nprofiles: {}\n";
    const { root, below } = repository(own, { PORT: "8080" });
    const { decision } = ask(below, { PORT: "8080" });
    expect(decision).toMatchObject({ mayStart: false, issues: [{ code: "STARTUP_KEYS_UNDECLARED" }] });
    expect(decision.issues[0]?.message).toContain("does not declare SVC_HTTP_FRAMEWORK, SVC_DATABASE_DRIVER");
    const { status, answer } = startupCheck(root, "rest");
    expect({ status, code: answer.code }).toEqual({ status: 2, code: "STARTUP_KEYS_UNDECLARED" });
  });
});

describe("drivers that the backend has", () => {
  const drivers = { SVC_DATABASE_DRIVER: ["SQLite", "PostgreSQL"] } as const;
  const LIST = `${CONFIG_FOLDER}/svcm.startup.json`;

  longTest.each([
    ["Mongo", false],
    ["sqlite3", true],
    ["", false],
  ])("SVC_DATABASE_DRIVER=%s, by the library and by startup check alike", (driver, mayStart) => {
    const values = { SVC_DATABASE_DRIVER: driver };
    const { root, below, write } = repository(packaged, values);
    write(LIST, JSON.stringify({ drivers }));
    const { decision } = ask(below, values, { drivers });
    const { status, answer } = startupCheck(root, "rest");
    expect({ status, mayStart: decision.mayStart }).toEqual({ status: mayStart ? 0 : 1, mayStart });
    expect(decision.issues).toEqual(answer.issues);
    const which = driver === "" ? '"InMemory", the default' : '"Mongo"';
    const words = `SVC_DATABASE_DRIVER: this backend has no adapter for ${which}; accepted: SQLite, PostgreSQL`;
    if (!mayStart) expect(answer.issues).toMatchObject([{ code: "STARTUP_DRIVER_NOT_CARRIED", message: words }]);
  });

  test.each(
    firstOrAll([
      [{ SVC_DATABSE_DRIVER: ["SQLite"] }, '"SVC_DATABSE_DRIVER" is not a startup key; accepted: SVC_HTTP_FRAMEWORK'],
      [{ SVC_DATABASE_DRIVER: [] }, "drivers.SVC_DATABASE_DRIVER: expected a list of at least one value"],
      [{ SVC_DATABASE_DRIVER: "SQLite" }, "drivers.SVC_DATABASE_DRIVER: expected a list of at least one value"],
      [[], "drivers: expected { KEY: [value, ...] }"],
    ]),
  )("a list that is wrong, %j, is refused by both", (wrong, words) => {
    const { root, below, write } = repository(packaged, {});
    write(LIST, `{\n  "drivers": ${JSON.stringify(wrong)}\n}\n`);
    const { decision } = ask(below, {}, { drivers: wrong as StartupOptions["drivers"] & object });
    expect(decision).toMatchObject({ mayStart: false, issues: [{ code: "STARTUP_DRIVERS_INVALID" }] });
    expect(decision.issues[0]?.message).toContain(words);
    const { status, stderr } = svcm(["startup", "check", "rest"], { cwd: root });
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringContaining("svcm.startup.json:2:") as string,
    });
    expect(stderr).toContain(words);
  });

  longTest("a file that is not JSON, or has another member, is refused with its place", () => {
    const { root, write } = repository(packaged, {});
    write(LIST, "{\n  drivers: 1\n}\n");
    expect(svcm(["startup", "check", "rest"], { cwd: root }).stderr).toMatch(
      /svcm\.startup\.json:2:3 error is not JSON: .*\n {2}2 \| {3}drivers: 1\n {4}\| {3}\^/,
    );
    write(LIST, '{ "driver": {}, "drivers": {} }\n');
    expect(svcm(["startup", "check", "rest"], { cwd: root }).stderr).toContain(
      '"driver" is not a known member; accepted: drivers',
    );
  });
});

describe("an app of the ecosystem file", () => {
  const DEV = "pm2/ecosystem.dev.config.cjs";
  const ecosystem = `module.exports = { apps: [
    { name: "dev-grpcapi", script: "a.js", env: { SVC_REALTIME_API_PROTOCOL: "grpc" } },
    { name: "dev-restapi", script: "b.js" },
  ] };`;
  const values = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "websocket" };

  longTest("--app applies its env over the file, as PM2 does", () => {
    const { root, write } = repository(packaged, values);
    write(DEV, ecosystem);
    expect(startupCheck(root, "grpc").status).toBe(1);
    expect(startupCheck(root, "grpc", "--app", "dev-restapi").status).toBe(1);
    expect(startupCheck(root, "grpc", "--app", "dev-grpcapi")).toMatchObject({
      status: 0,
      answer: { mayStart: true, app: "dev-grpcapi" },
    });
    expect(svcm(["startup", "check", "grpc", "--app", "dev-grpcapi"], { cwd: root }).stdout).toContain(
      "grpc may start under .env.dev and the env of dev-grpcapi.",
    );
  });

  test("without --app, a refusal says how to check an app that overrides the file", () => {
    const { root } = repository(packaged, values);
    expect(svcm(["startup", "check", "grpc"], { cwd: root }).stdout).toContain(
      "svcm startup check grpc --environment dev --app <name>",
    );
  });

  longTest("an undeclared app is wrong usage, and the declared names are listed", () => {
    const { root, write } = repository(packaged, values);
    const ofNone = svcm(["startup", "check", "grpc", "--app", "x"], { cwd: root });
    expect(ofNone).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("There is no ecosystem.dev.config.cjs") as string,
    });
    write(DEV, ecosystem);
    const unknown = svcm(["startup", "check", "grpc", "--app", "dev-grpcap"], { cwd: root });
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('does not declare the app "dev-grpcap". Accepted: dev-grpcapi, dev-restapi.');
    expect(unknown.stderr).toContain("Did you mean dev-grpcapi?");
  });
});

test("an unknown entrypoint, possible in untyped code, is refused with the known ones", () => {
  const { decision } = ask("/", {}, {}, "http");
  expect(decision).toMatchObject({ mayStart: false, issues: [{ code: "STARTUP_ENTRYPOINT_UNKNOWN" }] });
  expect(decision.issues.map(({ message }) => message)).toEqual([
    'unknown entrypoint "http"; accepted: rest, websocket, grpc',
  ]);
});
