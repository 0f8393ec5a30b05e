import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkEnvFiles } from "../../../src/core/env/check.ts";
import type { RuntimeContract } from "../../../src/core/api/facts.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";

const checkEnvFile = (contract: RuntimeContract, text: string, fileName: string) =>
  checkEnvFiles(contract, [{ text, fileName }]);

/** Each case is a pair of files, `name.env` and `name.expected.json`. A new case needs no code. */
const folder = fileURLToPath(new URL("../../fixtures/env-check/", import.meta.url));
const cases = readdirSync(folder).filter((name) => name.endsWith(".env"));

test.each(cases)("%s", async (name) => {
  const issues = checkEnvFile(packagedRuntimeContract, readFileSync(folder + name, "utf8"), name);
  const text = `${JSON.stringify(issues, null, 2)}\n`;
  expect(text).not.toMatch(/canary/i);
  await expect(text).toMatchFileSnapshot(`${folder}${name.replace(/\.env$/, ".expected.json")}`);
});

test.each([".env.dev", ".env.staging", ".env.ci"])("%s of this repository has no issue", (name) => {
  const file = new URL(`../../../apps/backend-template/src/config/${name}`, import.meta.url);
  expect(checkEnvFile(packagedRuntimeContract, readFileSync(file, "utf8"), name)).toEqual([]);
});

test("reports 1,000 findings and says that there are more", () => {
  const issues = checkEnvFile(packagedRuntimeContract, "stray\n".repeat(1200), ".env.dev");
  expect(issues).toHaveLength(1001);
  expect(issues[0]).toMatchObject({ code: "ENV_TOO_MANY_ISSUES", severity: "error", at: { file: ".env.dev" } });
  expect(checkEnvFile(packagedRuntimeContract, "stray\n".repeat(900), ".env.dev")).not.toContainEqual(
    expect.objectContaining({ code: "ENV_TOO_MANY_ISSUES" }),
  );
});

test("a value on a later line is reported with its own line number, with any line endings", () => {
  const text = "A=1\r\nB=2\rC='x\r\ny'\nSVC_HTTP_FRAMEWORK=\n 'nope'\n";
  const found = checkEnvFile(packagedRuntimeContract, text, "f").find(({ code }) => code === "ENV_VALUE_UNSUPPORTED");
  expect(found?.at).toEqual({ file: "f", line: 6, column: 2 });
});

describe("layers of an environment", () => {
  const contract = {
    environments: {},
    keys: {
      PORT: { kind: "integer", required: true, minimum: 1 },
      NAME: { kind: "text", required: true },
      TOKEN: { kind: "secret" },
      MODE: { kind: "enum", values: ["a", "b"], required: false },
    },
  } as unknown as RuntimeContract;
  const found = (...texts: string[]) =>
    checkEnvFiles(
      contract,
      texts.map((text, at) => ({ text, fileName: `.env.${at}` })),
    ).map(({ code, path, at }) => `${code} ${path.join()} ${at?.file}:${at?.line}`);

  test.each<[string, string[], string[]]>([
    ["each layer has a part", ["PORT=1\n", "NAME=x\n"], []],
    ["the last one misses what no layer has", ["PORT=1\n", "MODE=a\n"], ["ENV_KEY_MISSING NAME .env.1:1"]],
    ["a value of each is judged", ["PORT=1\nMODE=c\n", "NAME=x\nMODE=a\n"], ["ENV_VALUE_UNSUPPORTED MODE .env.0:2"]],
    ["a private key, which has lines", ['PORT=1\nNAME=x\nTOKEN="a\n\tb"\n'], []],
    ["a text with lines", ['PORT=1\nNAME="a\nb"\n'], ["ENV_VALUE_CONTROL_CHARACTER NAME .env.0:2"]],
    ["an optional key without a value", ["PORT=1\nNAME=x\nMODE=\n"], []],
    ["a required one without a value", ["PORT=\nNAME=x\n"], ["ENV_VALUE_UNSUPPORTED PORT .env.0:1"]],
  ])("%s", (_what, texts, expected) => {
    expect(found(...texts)).toEqual(expected);
  });
});
