import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRepository } from "../support/git.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/deployments-diff/${name}`, import.meta.url), "utf8");
const OLD = fixture("fields/old.yaml");
const NEW = fixture("fields/new.yaml");
const FILE = "deployments.yaml";

function changedRepository() {
  const repository = makeRepository({ [FILE]: OLD, "app/deployments.yaml": NEW });
  repository.write(FILE, NEW);
  return repository;
}

test("without a revision, the work tree is compared with HEAD", async () => {
  const { root } = changedRepository();
  const { code, stdout, stderr } = await svcm(["diff"], { root });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n").slice(1)).toEqual(fixture("fields/expected.txt").split("\n").slice(1));
});

longTest("between two revisions, the work tree is ignored", async () => {
  const repository = changedRepository();
  repository.git("tag", "v1");
  repository.commit();
  repository.write(FILE, "not: [yaml");
  const { code, stdout } = await svcm(["diff", "v1", "--to", "HEAD", "--json"], repository);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    from: { revision: "v1" },
    to: { revision: "HEAD", exists: true, valid: true },
    changes: [{ section: "deployments", kind: "changed", name: "production" }],
  });
});

test("a work tree that is moved by core.worktree is refused, because its files would not be found in a revision", async () => {
  const repository = changedRepository();
  repository.git("config", "core.worktree", "/");
  const { code, stdout } = await svcm(["diff", "--json"], repository);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { code: "GIT_WORK_TREE_MOVED" }]);
});

test("--exit-code says whether anything changed in meaning", async () => {
  const repository = changedRepository();
  expect((await svcm(["diff", "--exit-code"], repository)).code).toBe(1);
  repository.write(FILE, `# a comment\n${OLD}`);
  const same = await svcm(["diff", "--exit-code"], repository);
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("No change in meaning.");
});

longTest("--file may be relative to the root or absolute, but must be inside the repository", async () => {
  const repository = changedRepository();
  repository.write("app/deployments.yaml", OLD);
  for (const file of ["app/deployments.yaml", repository.path("app/deployments.yaml")]) {
    const { stdout } = await svcm(["diff", "--file", file, "--json"], repository);
    expect(JSON.parse(stdout)).toMatchObject({ file, from: { exists: true }, changes: [{ name: "production" }] });
  }
  for (const file of ["../x.yaml", "/etc/passwd"]) {
    expect((await svcm(["diff", "HEAD", "--file", file], repository)).code).toBe(3);
    expect((await svcm(["diff", "HEAD", "--to", "HEAD", "--file", file], repository)).code).toBe(3);
  }
});

longTest("in a subfolder of the work tree, the file of that folder is compared", async () => {
  const repository = changedRepository();
  const { stdout } = await svcm(["diff", "--json"], { root: repository.path("app") });
  expect(JSON.parse(stdout)).toMatchObject({ from: { exists: true }, changes: [] });
});

describe("svcm diff refuses", () => {
  longTest("a side that is not YAML, with the position of the error", async () => {
    const repository = changedRepository();
    repository.write(FILE, "a: 1\nb: [\n");
    repository.commit();
    const old = await svcm(["diff"], repository);
    expect(old.code).toBe(3);
    expect(old.stderr).toMatch(/^Error: HEAD:deployments.yaml cannot be read\.\n {2}HEAD:deployments\.yaml:3:1: /);
    repository.write(FILE, "a: 1\na: 2\n");
    const young = JSON.parse((await svcm(["diff", "HEAD~1", "--json"], repository)).stdout) as object;
    expect(young).toMatchObject({
      issues: [{ code: "YAML_DUPLICATE_KEY", at: { file: FILE, line: 2, column: 1 } }],
    });
  });

  longTest("a file that exists on neither side", async () => {
    const repository = changedRepository();
    const { code, stdout } = await svcm(["diff", "--file", "missing.yaml", "--json"], repository);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      code: "SUITE_FILE_NOT_FOUND",
      details: "There is no such file, neither in HEAD nor in the work tree.",
      path: join(repository.root, "missing.yaml"),
    });
  });

  longTest("every name that is not a revision", async () => {
    const repository = changedRepository();
    for (const args of [["nope"], ["--", "--output=pwned"], ["HEAD", "--to", "--output=pwned"], ["HEAD", "--to=-x"]]) {
      const { code, stderr } = await svcm(["diff", ...args], repository);
      expect([code, stderr], args.join(" ")).toEqual([
        2,
        expect.stringMatching(/^Error: .*\n(?:Hint: .*\n)?(?:REVISION_NOT_FOUND|WRONG_USAGE) /s),
      ]);
    }
    expect(repository.git("status", "--porcelain")).toBe(` M ${FILE}\n`);
  });
});

longTest("no control character of a document reaches the terminal, in any form", async () => {
  const repository = makeRepository({ [FILE]: fixture("hostile/old.yaml") });
  repository.write(FILE, fixture("hostile/new.yaml"));
  for (const form of [["--format", "text"], ["--format", "markdown"], ["--json"]]) {
    const { stdout } = await svcm(["diff", ...form], repository);
    expect(stdout).toContain("evil");
    expect(stdout).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u);
  }
});

longTest("the value of a member with a secret's name is not shown", async () => {
  const repository = makeRepository({ [FILE]: "deployments: [{ name: a, password: canary }]\n" });
  repository.write(FILE, "deployments: [{ name: a, password: canary-2, region: 'redis://u:canary@h' }]\n");
  for (const form of [["--format", "text"], ["--format", "markdown"], ["--json"]]) {
    const { stdout } = await svcm(["diff", ...form], repository);
    expect(stdout).toContain("password");
    expect(stdout).not.toContain("canary");
  }
});
