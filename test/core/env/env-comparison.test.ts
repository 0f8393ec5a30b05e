/** Env files against their contract, their template and each other. No answer has a secret. */
import { describe, expect, test } from "vitest";
import { envCheck, envDiff, envTemplate } from "../../../src/core/env/operations/env-comparison.ts";
import { execute } from "../../../src/core/execute.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const KEYS =
  "keys: { A: { kind: text, tier: read-only }, B: { kind: text, tier: read-only }, S: { kind: secret, tier: never-exposed } }\n";
const made = (files: Readonly<Record<string, string>>, more = "") =>
  makeWorkspace({
    "svcm.yaml": `version: 1\nenvironments: { dev: [], prod: [] }\n${more}env: { dev: .env.dev, prod: .env.prod }\n${KEYS}`,
    ...files,
  });

test("a comparison names each key once, in the order of the contract, and shows no secret", async () => {
  const { ports } = made({
    ".env.dev": "Z=1\nB=1\nA=1\nS=canary\nGONE=1\nO=1\n",
    ".env.prod": "A=1\nB=2\nS=other-canary\nNEW=1\nO=1\n",
  });
  const { entries } = await execute(envDiff, ports, { from: "dev", to: "prod" }, caller);
  expect(entries.map(({ key, state, from, to }) => [key, state, from ?? "", to ?? ""].join(" ").trim())).toEqual([
    "A same 1 1",
    "B different 1 2",
    "S different",
    "GONE only-from",
    "NEW only-to",
    "O same",
    "Z only-from",
  ]);
});

test("a check is of the file of an environment, or of one that is named", async () => {
  const { ports } = made({ ".env.dev": "A=1\n", ".env.prod": "", "x.env": "A=1\nA=2\n" });
  expect(await execute(envCheck, ports, { environment: "dev" }, caller)).toMatchObject({
    environment: "dev",
    fileName: ".env.dev",
  });
  const named = await execute(envCheck, ports, { file: "x.env" }, caller);
  expect(named).toMatchObject({ environment: "dev", fileName: "x.env" });
  expect(named.issues.length).toBeGreaterThan(0);
  expect(await execute(envCheck, ports, { file: "x.env", environment: "prod" }, caller)).toMatchObject({
    environment: "prod",
  });
});

describe("a template", () => {
  const check = { environment: "dev", check: true } as const;

  test("is beside the env file unless svcm.yaml names another one", async () => {
    const { ports } = made({ ".env.dev": "A=1\n", ".env.prod": "", ".env.example": "A=\n" });
    expect(await execute(envTemplate, ports, check, caller)).toMatchObject({ template: ".env.example", issues: [] });
    const text = await execute(envTemplate, ports, { environment: "dev", check: false }, caller);
    expect(text).toMatchObject({ fileName: ".env.dev", text: expect.stringMatching(/^A=$/m) });
    expect(text).not.toHaveProperty("issues");
    const named = made({ ".env.dev": "A=1\nB=1\n", ".env.prod": "", "t.env": "A=\n" }, "template: t.env\n");
    const compared = await execute(envTemplate, named.ports, check, caller);
    expect(compared.template).toBe("t.env");
    expect(compared.issues).toHaveLength(1);
    expect(JSON.stringify(compared.issues)).toContain("B");
  });

  test("that is missing, or cannot be read, is an error", async () => {
    const workspace = made({ ".env.dev": "A=1\n", ".env.prod": "" });
    const { ports } = workspace;
    await expect(execute(envTemplate, ports, check, caller)).rejects.toMatchObject({
      body: {
        code: "ENV_TEMPLATE_NOT_FOUND",
        details: `There is no template ${workspace.path(".env.example")}.`,
        hint: "Create one with: svcm env template > .env.example",
      },
    });
    workspace.write(".env.example/file", "");
    await expect(execute(envTemplate, ports, check, caller)).rejects.toMatchObject({ body: { code: "EISDIR" } });
  });
});
