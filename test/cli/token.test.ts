import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { svcm, type RunResult } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const token = (root: string, ...args: string[]): Promise<RunResult> => svcm(["token", ...args], { root });

describe("svcm token create", () => {
  test("prints the token alone on standard output", async () => {
    const { root } = makeWorkspace();
    const { code, stdout, stderr } = await token(root, "create", "ci-bot", "--role", "viewer", "--expires", "30d");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^svcm_[\w-]{43}\n$/)]);
    expect(stderr).toBe("Token ci-bot (viewer). Copy it now: svcm does not show it again.\n");
    const { tokens } = JSON.parse(readFileSync(join(root, ".svcm/tokens.json"), "utf8")) as {
      tokens: { createdAt: string; expiresAt: string }[];
    };
    const [{ createdAt, expiresAt }] = tokens as [{ createdAt: string; expiresAt: string }];
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000);
  });

  test("with --json, prints the token and its limits", async () => {
    const { root } = makeWorkspace();
    const { stdout } = await token(root, "create", "ann", "--role", "editor", "-e", "development", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ name: "ann", role: "editor", environments: ["dev"] });
  });

  test.each<[string, string[], number, string]>([
    ["a role that svcm does not know", ["create", "x", "--role", "root"], 2, "viewer, operator, editor, admin"],
    ["no role", ["create", "x"], 2, "role"],
    ["a name with a dot", ["create", "x.y", "--role", "viewer"], 2, "letters, digits, - and _"],
    ["a time without a unit", ["create", "x", "--role", "viewer", "--expires", "30"], 2, "12h or 30d"],
    ["an unknown environment", ["create", "x", "--role", "viewer", "-e", "moon"], 2, "dev, development"],
    ["a service of no svcm.yaml", ["create", "x", "--role", "viewer", "--service", "orders"], 2, "orders"],
    ["a name that no token has", ["revoke", "x"], 2, "There is no token."],
  ])("%s is refused", async (_, args, code, words) => {
    const { root } = makeWorkspace();
    const ran = await token(root, ...args);
    expect([ran.code, ran.stdout]).toEqual([code, ""]);
    expect(ran.stderr).toContain(words);
  });
});

test("svcm token list shows names and limits, and svcm token revoke removes one", async () => {
  const { root } = makeWorkspace();
  expect((await token(root, "list")).stdout).toContain("There are no tokens.");
  const { stdout: secret } = await token(root, "create", "ann", "--role", "editor", "-e", "dev", "-e", "staging");
  const list = await token(root, "list");
  expect(list.stdout).toMatch(
    /^1 token, 0 expired\.\nNAME +ROLE +LIMITED TO +CREATED +EXPIRES\nann +editor +dev, staging +\S+ \S+ +never\n$/,
  );
  expect((await token(root, "revoke", "ann")).stdout).toBe("Revoked the token ann.\n");
  expect(JSON.parse((await token(root, "list", "--json")).stdout)).toEqual({ tokens: [] });
  const audit = await svcm(["audit"], { root });
  expect(audit.stdout).toMatch(/token\.revoke +ann .*succeeded/);
  expect(list.stdout + audit.stdout).not.toContain(secret.trim());
});
