/** A start caches the content of `svcm.yaml`, and a later start uses the cache only for the same text. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { svcm } from "../support/command-line.ts";
import { LAYERED } from "../support/layered.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const CACHE = "cache";

function get({ root }: TestWorkspace): { status: number | null; shown: string } {
  const { status, stdout, stderr } = svcm(["env", "get", "LOG_LEVEL"], {
    cwd: root,
    env: { HOME: root, XDG_CACHE_HOME: join(root, CACHE) },
  });
  return { status, shown: stdout + stderr };
}

function keptFiles(workspace: TestWorkspace): string[] {
  const parent = workspace.path(`${CACHE}/svcm`);
  const folder = readdirSync(parent).find((name) => name.endsWith("-facts")) ?? "";
  return readdirSync(join(parent, folder)).map((name) => join(parent, folder, name));
}

test("a start caches one private file, which contains no value of an env file", () => {
  const workspace = makeWorkspace(LAYERED);
  expect(get(workspace)).toEqual({ status: 0, shown: "debug\n" });
  const [file = "", ...more] = keptFiles(workspace);
  expect([more, statSync(file).mode & 0o777]).toEqual([[], 0o600]);
  expect(readFileSync(file, "utf8")).not.toContain("canary");
  expect(get(workspace)).toEqual({ status: 0, shown: "debug\n" });
});

test("a change of svcm.yaml takes effect immediately, and an invalid file is refused", () => {
  const workspace = makeWorkspace(LAYERED);
  get(workspace);
  workspace.write("svcm.yaml", LAYERED["svcm.yaml"].replace("dev: [.env, .env.local]", "dev: .env"));
  expect(get(workspace)).toEqual({ status: 0, shown: "info\n" });
  workspace.write("svcm.yaml", LAYERED["svcm.yaml"].replace("version: 1", "version: 2"));
  expect(get(workspace)).toMatchObject({ status: 3, shown: expect.stringContaining("version: 2 is not accepted") });
});

longTest.each(["", "{", "null", '["another text", {}]'])(
  "a kept file that is damaged, %j, is made again",
  (damaged) => {
    const workspace = makeWorkspace(LAYERED);
    get(workspace);
    const [file = ""] = keptFiles(workspace);
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, damaged);
    expect(get(workspace)).toEqual({ status: 0, shown: "debug\n" });
    expect(readFileSync(file, "utf8")).toBe(whole);
  },
);
