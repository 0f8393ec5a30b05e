import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { LAYERED } from "../support/layered.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace, type TestWorkspace } from "../support/workspace.ts";

async function unset({ root }: TestWorkspace, ...args: string[]) {
  const ran = await svcm(["env", "unset", ...args], { root });
  expect(`${ran.stdout}${ran.stderr}`).not.toContain("canary");
  return ran;
}

test("env unset removes the line from the upper layer, so the value of the lower layer applies", async () => {
  const workspace = makeWorkspace(LAYERED);
  const { code, stdout } = await unset(workspace, "LOG_LEVEL");
  expect([code, stdout]).toEqual([
    0,
    "Removed from .env.local: LOG_LEVEL\n  LOG_LEVEL is info, from .env.\nWarning: dev.config.cjs sets LOG_LEVEL for api and wins.\n",
  ]);
  expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"].replace("LOG_LEVEL=debug\n", ""));
  expect(workspace.read(".env")).toBe(LAYERED[".env"]);
  const audit = workspace.read(".svcm/audit.jsonl").trim().split("\n");
  expect(audit.map((line) => JSON.parse(line) as object)).toMatchObject([
    { action: "env.write", environment: "dev", keys: ["LOG_LEVEL"], outcome: "started" },
    { action: "env.write", environment: "dev", keys: ["LOG_LEVEL"], outcome: "succeeded" },
  ]);
});

test("env unset removes a key from the only layer that has it, and names the default or says that there is none", async () => {
  const workspace = makeWorkspace(LAYERED);
  const { code, stdout } = await unset(workspace, "LOG_LEVEL", "TITLE", "-e", "qa");
  expect(code).toBe(0);
  expect(stdout).toBe(
    "Removed from base.env: LOG_LEVEL, TITLE\n  LOG_LEVEL is warn, the default.\n  TITLE is not set.\n",
  );
  expect(workspace.read("qa/base.env")).toBe("TOKEN=canary-base\n");
});

test("env unset --dry-run shows the line and writes nothing, and --json has the value that would apply", async () => {
  const workspace = makeWorkspace(LAYERED);
  expect((await unset(workspace, "LOG_LEVEL", "--dry-run")).stdout).toBe(
    ".env.local (dry run, nothing is written)\n@@ line 2 @@\n-LOG_LEVEL=debug\n",
  );
  const { stdout } = await unset(workspace, "LOG_LEVEL", "--dry-run", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    dryRun: true,
    changedKeys: ["LOG_LEVEL"],
    effective: [{ key: "LOG_LEVEL", value: "info", from: "file", fileName: ".env" }],
  });
  expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"]);
});

test("env unset of a key that no layer has writes nothing and records nothing", async () => {
  const workspace = makeWorkspace(LAYERED);
  const { code, stdout } = await unset(workspace, "TITLE", "-e", "production");
  expect([code, stdout]).toEqual([0, "No change in .env.production.\n  TITLE is not set.\n"]);
  expect(() => workspace.read(".svcm/audit.jsonl")).toThrow("ENOENT");
});

test.each([
  ["a read-only key", ["PORT"], 1, "ENV_KEY_NOT_EDITABLE", /PORT is not editable \(read-only\)/],
  ["a secret", ["DATABASE_URL"], 1, "ENV_KEY_NOT_EDITABLE", /DATABASE_URL is not editable \(never-exposed\)/],
  ["an unlisted key", ["OWN_SECRET"], 1, "ENV_KEY_NOT_EDITABLE", /svcm.yaml does not declare OWN_SECRET/],
  [
    "a key of a layer that another environment reads",
    ["LOG_LEVEL"],
    1,
    "ENV_LAYER_SHARED",
    /\.env holds the key.*production/,
  ],
  ["keys of several files", ["LOG_LEVEL", "TITLE"], 1, "ENV_KEYS_APART", /several files: \.env, \.env\.local/],
  ["no key", [], 2, "WRONG_USAGE", /no KEY was given/],
])("env unset refuses %s and writes nothing", async (_, keys, code, name, words) => {
  const files = { ...LAYERED, ".env.local": LAYERED[".env.local"].replace("LOG_LEVEL=debug\n", "") };
  const workspace = makeWorkspace(files);
  const ran = await unset(workspace, ...keys);
  expect([ran.code, ran.stdout]).toEqual([code, ""]);
  expect(ran.stderr).toMatch(words);
  expect(ran.stderr).toContain(`${name} (svcm explain ${name})`);
  for (const file of [".env", ".env.local"] as const) expect(workspace.read(file)).toBe(files[file]);
});

test("env unset keeps a mandatory key, and names the command that sets its default", async () => {
  const workspace = makeWorkspace();
  const { code, stderr } = await unset(workspace, "SVC_HTTP_FRAMEWORK");
  expect(code).toBe(1);
  expect(stderr).toContain("to set the default: svcm env set SVC_HTTP_FRAMEWORK=express");
  expect(workspace.read(`${CONFIG_FOLDER}/.env.dev`)).toBe(GOOD_ENV);
});
