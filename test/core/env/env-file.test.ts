import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { RuntimeContract } from "../../../src/core/api/facts.ts";
import { exportedValues } from "../../../src/core/env/export.ts";
import {
  effectiveValues,
  locateEnvFile,
  readEnvFile,
  readLowerLayers,
  readNamedEnvFile,
  requireEnvSize,
  toReadResponse,
} from "../../../src/core/env/env-file.ts";
import { defaultOf } from "../../../src/core/env/runtime-keys.ts";
import { nodePorts } from "../../../src/core/node-ports.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const KEY = "SVC_HTTP_FRAMEWORK";
const contract: RuntimeContract = packagedRuntimeContract;
const byDefault = defaultOf(contract, KEY);

test.each([
  ["a value", [`${KEY}=fastify\n`], "fastify"],
  ["an empty value", [`${KEY}=\n`], byDefault],
  ["no value", [""], byDefault],
  ["a later layer", [`${KEY}=fastify\n`, `${KEY}=restify\n`], "restify"],
  ["a later layer without it", [`${KEY}=fastify\n`, "OTHER=x\n"], "fastify"],
  ["twice in a file", [`${KEY}=fastify\n${KEY}=restify\n`], "restify"],
])("an editable key shows its value, or else its default: %s", (_what, texts, expected) => {
  const values = effectiveValues(texts.map((text) => ({ text })));
  const shown = toReadResponse(contract, { environment: "dev", fileName: ".env.dev" }, values);
  expect(byDefault).not.toBe("");
  expect(shown.values[KEY]).toBe(expected);
});

test("an export withholds what no answer shows: secrets, unlisted keys and credentials", () => {
  const values = new Map([
    [KEY, "fastify"],
    ["SVC_WEBSOCKET_REDIS_URL", "redis://user:canary@h:1"],
    ["OTHER", "canary"],
  ]);
  const exported = exportedValues(contract, values);
  expect(exported).toEqual({ values: { [KEY]: "fastify" }, withheld: ["SVC_WEBSOCKET_REDIS_URL", "OTHER"] });
  const open = exportedValues(contract, new Map([["SVC_WEBSOCKET_REDIS_URL", "redis://h:1"]]));
  expect(open.values).toEqual({ SVC_WEBSOCKET_REDIS_URL: "redis://h:1" });
});

describe("the env file of an environment", () => {
  const world = (files: Readonly<Record<string, string | Uint8Array>>, services?: Readonly<Record<string, object>>) => {
    const root = temporaryFolder();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
    const { files: disk, workspace } = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
    const facts = { project: async () => (services === undefined ? undefined : { services }) };
    return { root, ports: { files: disk, workspace: { ...workspace, configDir: root }, facts } as never };
  };
  const layered = (...layers: readonly string[]) => ({ folder: ".", env: { dev: { layers, encrypted: false } } });
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof SvcmError ? error.body : error;
  };

  test("is that of the contract without a project, and its last layer with one", async () => {
    const { ports, root } = world({ ".env.dev": "A=1\n", ".env": "A=0\nB=2\n" });
    const own = await readEnvFile(ports, contract, { environment: "development" });
    expect(own).toMatchObject({ name: "dev", fileName: ".env.dev", path: `${root}/.env.dev`, text: "A=1\n" });
    expect(own).not.toHaveProperty("declaredPath");
    const other = world({ ".env.dev": "A=1\n", ".env": "A=0\nB=2\n" }, { "": layered(".env", ".env.dev") });
    const last = await readEnvFile(other.ports, contract, { environment: "dev" });
    expect(last).toMatchObject({
      path: `${other.root}/.env.dev`,
      declaredPath: `${other.root}/.env.dev`,
      text: "A=1\n",
    });
    expect(last.layers.map(({ fileName }) => fileName)).toEqual([".env", ".env.dev"]);
    expect(Buffer.from(last.bytes).toString()).toBe("A=0\nB=2\nA=1\n");
    expect(last).not.toHaveProperty("service");
    expect((await readLowerLayers(other.ports, last)).map(({ text }) => text)).toEqual(["A=0\nB=2\n"]);
    const named = world({ ".env": "" }, { shop: layered(".env") });
    expect(await locateEnvFile(named.ports, contract, { service: "shop" })).toMatchObject({ service: "shop" });
  });

  test("may lack a layer, but not all of them, and its only one must exist", async () => {
    const one = world({ ".env": "A=0\n" }, { "": layered(".env", ".env.dev") });
    expect(await readEnvFile(one.ports, contract, {})).toMatchObject({ text: "", layers: [{ text: "A=0\n" }] });
    const none = world({}, { "": layered(".env", ".env.dev") });
    expect(await refusal(readEnvFile(none.ports, contract, {}))).toMatchObject({
      code: "ENV_FILE_NOT_FOUND",
      details: `None of these files exists: ${none.root}/.env, ${none.root}/.env.dev.`,
    });
    const only = world({}, { "": layered(".env.dev") });
    const details = expect.not.stringContaining("None of these files");
    const missing = { code: "ENV_FILE_NOT_FOUND", path: `${only.root}/.env.dev`, details };
    expect(await refusal(readEnvFile(only.ports, contract, {}))).toMatchObject(missing);
    expect(await refusal(readNamedEnvFile(only.ports, "x.env"))).toMatchObject({ code: "ENV_FILE_NOT_FOUND" });
    expect(await readNamedEnvFile(one.ports, "./.env")).toMatchObject({ fileName: "./.env", text: "A=0\n" });
  });

  test("is refused if no service declares it, and the refusal names what is declared", async () => {
    const hint = "Add it below env, for example: env: { ci: .env.ci }";
    const start = "svcm.yaml does not declare an env file for the environment ci";
    const unnamed = world({}, { "": layered(".env") });
    expect(await refusal(locateEnvFile(unnamed.ports, contract, { environment: "ci" }))).toMatchObject({
      code: "ENV_FILE_NOT_DECLARED",
      path: `${unnamed.root}/svcm.yaml`,
      details: `${start}. These environments have one: dev.`,
      hint,
    });
    const bare = world({}, { shop: { folder: ".", env: {} } });
    expect(await refusal(locateEnvFile(bare.ports, contract, { environment: "ci" }))).toMatchObject({
      details: `${start} of the service shop.`,
    });
  });

  test("is refused if it is encrypted, is not UTF-8, or is too large", async () => {
    const encrypted = { code: "ENV_FILE_ENCRYPTED", hint: expect.stringContaining("dotenvx get -f .env.dev") };
    const declared = world({}, { "": { folder: ".", env: { dev: { layers: [".env.dev"], encrypted: true } } } });
    expect(await refusal(locateEnvFile(declared.ports, contract, {}))).toMatchObject(encrypted);
    const dotenvx = 'DOTENV_PUBLIC_KEY_DEV="0"\nA="encrypted:x"\n';
    expect(await refusal(readEnvFile(world({ ".env.dev": dotenvx }).ports, contract, {}))).toMatchObject(encrypted);
    const latin = world({ ".env.dev": Uint8Array.of(65, 61, 0xe9, 10) });
    expect(await refusal(readEnvFile(latin.ports, contract, {}))).toMatchObject({
      code: "ENV_FILE_NOT_UTF8",
      path: `${latin.root}/.env.dev`,
    });
    const below = world({ ".env": "#".repeat(2 ** 20 + 1), ".env.dev": "" }, { "": layered(".env", ".env.dev") });
    expect(await refusal(readEnvFile(below.ports, contract, {}))).toMatchObject({ code: "EFBIG" });
    const large = world({ ".env.dev": "#".repeat(2 ** 20 + 1) });
    expect(await refusal(readEnvFile(large.ports, contract, {}))).toMatchObject({ code: "EFBIG" });
    expect((await readEnvFile(world({ ".env.dev": "#".repeat(2 ** 20) }).ports, contract, {})).text).not.toBe("");
  });

  test("is not written beyond its limit", () => {
    const write = (size: number) => () => requireEnvSize(new Uint8Array(size), "/srv/.env");
    expect(write(2 ** 20)).not.toThrow();
    expect(write(2 ** 20 + 1)).toThrow("Cannot write /srv/.env: it is larger than 1048576 bytes.");
  });
});

test("an answer names the declared file, and every key that may be shown", () => {
  const file = { environment: "dev", fileName: ".env.dev" };
  const values = new Map([["SVC_WEBSOCKET_REDIS_URL", "redis://user:canary@h:1"]]);
  const shown = toReadResponse(contract, { ...file, declaredPath: "/srv/.env.dev" }, values);
  expect(shown).toMatchObject({ ...file, path: "/srv/.env.dev" });
  expect(shown.editableKeys).toContain(KEY);
  expect(JSON.stringify(shown)).not.toContain("canary");
  expect(toReadResponse(contract, file, values)).not.toHaveProperty("path");
});
