import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { LAYERED } from "../support/layered.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace, type TestWorkspace } from "../support/workspace.ts";

const IN_STEP = "PORT=canary-port\nLOG_LEVEL=\nDATABASE_URL=canary-example\n# TITLE=canary-title\nOWN_SECRET=\n";

async function template({ root }: TestWorkspace, ...args: string[]) {
  const ran = await svcm(["env", "template", ...args], { root });
  expect(`${ran.stdout}${ran.stderr}`).not.toContain("canary");
  return ran;
}

test("env template prints every key without its value, an editable one with its default", async () => {
  const { code, stdout } = await template(makeWorkspace(LAYERED));
  expect([code, stdout]).toEqual([0, "PORT=\nLOG_LEVEL=warn\nDATABASE_URL=\nTITLE=\nOWN_SECRET=\n"]);
});

test("a template that env template created matches its env file", async () => {
  const workspace = makeWorkspace(LAYERED);
  workspace.write(".env.example", (await template(workspace)).stdout);
  const { code, stdout } = await template(workspace, "--check");
  expect([code, stdout]).toEqual([0, ".env.local and .env.example have the same keys.\n"]);
});

test("env template --check compares with all layers; a key that the template comments out is optional", async () => {
  const { code, stdout } = await template(makeWorkspace({ ...LAYERED, ".env.example": IN_STEP }), "--check");
  expect([code, stdout]).toEqual([0, ".env.local and .env.example have the same keys.\n"]);
});

test("env template --check lists missing and surplus keys with their positions, and exits 1", async () => {
  const text = `${IN_STEP.replace("DATABASE_URL=canary-example\n", "")}SMTP_HOST=canary-host\n`;
  const workspace = makeWorkspace({ ...LAYERED, ".env.example": text });
  expect((await template(workspace, "--check")).code).toBe(1);
  const { code, stdout } = await template(workspace, "--check", "--json");
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    {
      environment: "dev",
      fileName: ".env.local",
      template: ".env.example",
      issues: [
        {
          code: "ENV_TEMPLATE_SURPLUS_KEY",
          severity: "error",
          path: ["DATABASE_URL"],
          message: "DATABASE_URL is in .env, but not in .env.example",
          at: { file: ".env", line: 3, column: 1 },
        },
        {
          code: "ENV_TEMPLATE_MISSING_KEY",
          severity: "error",
          path: ["SMTP_HOST"],
          message: "SMTP_HOST is in .env.example, but not in .env.local",
          at: { file: ".env.example", line: 5, column: 1 },
        },
      ],
    },
  ]);
});

test("the template is the file that svcm.yaml names, or else .env.example beside the env file", async () => {
  const yaml = `${LAYERED["svcm.yaml"]}template: docs/env.sample\n`;
  const named = makeWorkspace({ ...LAYERED, "svcm.yaml": yaml, "docs/env.sample": IN_STEP });
  expect((await template(named, "--check")).stdout).toBe(".env.local and env.sample have the same keys.\n");
  const beside = makeWorkspace({
    [`${CONFIG_FOLDER}/.env.dev`]: GOOD_ENV,
    [`${CONFIG_FOLDER}/.env.example`]: GOOD_ENV,
  });
  expect((await template(beside, "--check")).code).toBe(0);
});

test("env template does not show a line of a private key that looks like the name of a key", async () => {
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQcanary=\nkQ3xYzcanary==\n-----END PRIVATE KEY-----\n";
  const workspace = makeWorkspace({
    ...LAYERED,
    ".env.local": `camelCase=1\nSIGNING=${key}`,
    ".env.example": "PORT=\n",
  });
  for (const args of [[], ["--check"], ["--check", "--json"]]) {
    const { stdout } = await template(workspace, ...args);
    expect(stdout).toContain("camelCase");
  }
  const { stdout } = await svcm(["env", "diff", "dev", "dev", "--json"], { root: workspace.root });
  expect(stdout).not.toContain("canary");
});

test("env template --check without a template exits 3 and says how to make one", async () => {
  const workspace = makeWorkspace(LAYERED);
  const { code, stderr } = await template(workspace, "--check");
  expect(code).toBe(3);
  expect(stderr).toContain(`There is no template ${workspace.path(".env.example")}.`);
  expect(stderr).toContain("svcm env template > .env.example");
  expect(stderr).toContain("ENV_TEMPLATE_NOT_FOUND");
});
