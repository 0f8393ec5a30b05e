/** `svcm/startup` as built and `svcm startup check` give the same result in a repository with a `svcm.yaml`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "../../support/command-line.ts";
import { ask, startupCheck } from "../../support/startup-library.ts";
import { CONFIG_FOLDER, makeWorkspace } from "../../support/workspace.ts";
import { firstOrAll, longTest } from "../../support/runs.ts";

const CONTRACT = "config/runtime-contract.yaml";
const packaged = readFileSync(join(REPOSITORY, CONTRACT), "utf8");
const widened = packaged.replace("      - fastify\n", "      - fastify\n      - hono\n");

describe("in a repository with svcm.yaml", () => {
  const yaml = (keys: string): string => `version: 1\nenvironments: { dev: [] }\nenv: { dev: .env }\n${keys}`;
  const declared = widened.slice(widened.indexOf("keys:"), widened.indexOf("\nprofiles:"));

  function workspaceOf(files: Readonly<Record<string, string>>) {
    return makeWorkspace({ ".env": "SVC_HTTP_FRAMEWORK=hono\nSVC_JWT_TOKEN_SECRET_KEY=canary-jwt\n", ...files });
  }

  test.each(firstOrAll(["hono", "koa"]))("the library and startup check judge %s by its keys alike", (framework) => {
    const { root } = workspaceOf({ "svcm.yaml": yaml(declared), ".env": `SVC_HTTP_FRAMEWORK=${framework}\n` });
    const { decision } = ask(join(root, CONFIG_FOLDER), { SVC_HTTP_FRAMEWORK: framework });
    const { status, answer } = startupCheck(root, "rest");
    expect({ mayStart: decision.mayStart, status }).toEqual(
      framework === "hono" ? { mayStart: true, status: 0 } : { mayStart: false, status: 1 },
    );
    expect(decision.issues).toEqual(answer.issues);
  });

  longTest("without keys in svcm.yaml, the contract of the repository or the packaged one applies", () => {
    const hono = { SVC_HTTP_FRAMEWORK: "hono" };
    const beside = workspaceOf({ "svcm.yaml": yaml(""), [CONTRACT]: widened });
    expect(ask(beside.root, hono).decision.mayStart).toBe(true);
    expect(ask(workspaceOf({ "svcm.yaml": yaml("") }).root, hono).decision.mayStart).toBe(false);
  });

  longTest.each([
    ["with keys of another product", "keys: { PORT: { kind: port } }", "STARTUP_KEYS_UNDECLARED", 2],
    ["that is not valid", "keys: { PORT: { kind: harbour } }", "FACT_SHAPE", 3],
  ])("a svcm.yaml %s makes both refuse the start", (_, keys, code, exit) => {
    const { root } = workspaceOf({ "svcm.yaml": yaml(keys) });
    const { decision } = ask(root, {});
    expect(decision).toMatchObject({ mayStart: false, issues: [{ code }] });
    if (exit === 3) expect(decision.issues[0]?.message).toMatch(new RegExp(`^${join(root, "svcm.yaml")}:4:\\d+: `));
    expect(startupCheck(root, "rest").status).toBe(exit);
  });

  longTest("keys in both files make both refuse the start", () => {
    const { root } = workspaceOf({ "svcm.yaml": yaml(declared), [CONTRACT]: widened });
    expect(ask(root, {}).decision).toMatchObject({ mayStart: false, issues: [{ code: "FACT_KEYS_TWICE" }] });
    expect(startupCheck(root, "rest").status).toBe(3);
  });
});
