import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { quickSvcm as svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

function repository(): string {
  const root = join(temporaryFolder(), "repository");
  mkdirSync(join(root, "config"), { recursive: true });
  writeFileSync(join(root, "deployments.yaml"), "version: service-management.v1\n");
  return root;
}

describe("a root that is not a folder is wrong usage for", () => {
  test.each(
    firstOrAll([[["validate"]], [["env", "get"]], [["targets", "list"]], [["process", "list"]], [["matrix", "show"]]]),
  )("svcm %s", async (command) => {
    const root = repository();
    const file = join(root, "deployments.yaml");
    const asFile = await svcm([...command, "--root", file, "--json"]);
    expect(asFile.status).toBe(2);
    expect(JSON.parse(asFile.stdout)).toMatchObject({
      code: "ROOT_INVALID",
      details: "--root does not name the folder of a repository: it is not a folder.",
      path: file,
    });
    const missing = await svcm(command, { cwd: root, env: { SVC_SERVICE_MANAGEMENT_ROOT: join(root, "nowhere") } });
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain(
      "SVC_SERVICE_MANAGEMENT_ROOT does not name the folder of a repository: it does not exist.",
    );
  });
});

describe("--file", () => {
  test("may name a document outside the root for reading", async () => {
    const root = repository();
    writeFileSync(join(root, "../other.yaml"), "version: service-management.v1\n");
    const { status, stdout } = await svcm(["validate", "--root", root, "--file", "../other.yaml"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "../other.yaml is valid.\n" });
  });

  test("outside the root is refused for writing, with the permitted folders", async () => {
    const root = repository();
    const other = join(root, "../other.yaml");
    writeFileSync(other, "version: service-management.v1\ndeployments: []\n");
    const { status, stdout } = await svcm([
      "config",
      "set",
      "runMode=container",
      "--root",
      root,
      "--file",
      other,
      "--json",
    ]);
    expect(status).toBe(3);
    const { code, details } = JSON.parse(stdout) as { code: string; details: string };
    expect(code).toBe("EOUTSIDE");
    expect(details).toMatch(
      /^Cannot use .*other\.yaml: it is outside of .*\/repository and .*; allow another folder with --root/,
    );
  });

  test.each([
    [".", 3, expect.stringContaining("it is a directory")],
    ["", 2, "--file is empty. Name a file, for example deployments.yaml."],
  ])("%j is refused with the reason", async (file, code, details) => {
    const { status, stdout } = await svcm(["validate", "--root", repository(), "--file", file, "--json"]);
    expect(status).toBe(code);
    expect(JSON.parse(stdout)).toMatchObject({ details });
  });

  longTest("that names a pipe is refused, and the error says how to read from one", () => {
    const script = `exec "$0" "$1" validate --root "$2" --file <(cat "$2/deployments.yaml")`;
    const args = ["-c", script, process.execPath, RUN, repository()];
    const { status, stderr } = spawnSync("bash", args, { env: plainEnvironment(), encoding: "utf8" });
    expect(status).toBe(3);
    expect(stderr).toContain("it is a pipe, not a regular file");
    expect(stderr).toContain("svcm validate --file - reads a document from standard input.");
  });

  longTest("a file error names its path once", async () => {
    const root = repository();
    const { stderr } = await svcm(["validate", "--root", root, "--file", "missing.yaml"]);
    expect(stderr.split(join(root, "missing.yaml"))).toHaveLength(2);
  });
});

describe("a contract file of the repository that is not valid", () => {
  const LINE = '  LOG_URL: { tier: editible, kind: text, help: "https://user:canary-4e@logs" }';
  const contract = `version: 1\nkeys:\n${LINE}\n`;

  test("is shown with the line and a caret for each issue, and no credentials", async () => {
    const root = repository();
    writeFileSync(join(root, "config/runtime-contract.yaml"), contract);
    const { status, stdout, stderr } = await svcm(["env", "get", "--root", root]);
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    const lines = stderr.split("\n");
    expect(lines[0]).toBe(`Error: ${join(root, "config/runtime-contract.yaml")} is not valid.`);
    const heading = lines.findIndex((line) => line.startsWith("config/runtime-contract.yaml:3:20 error "));
    expect(lines[heading + 1]).toBe(`  3 | ${LINE.replace("user:canary-4e", "[REDACTED]")}`);
    expect(lines[heading + 2]).toBe(`    | ${" ".repeat(LINE.indexOf("editible"))}^`);
    expect(lines.at(-2)).toMatch(/FACT_INVALID \(svcm explain /);
    expect(stderr).not.toContain("canary");
  });

  test("is not part of the JSON body", async () => {
    const root = repository();
    writeFileSync(join(root, "config/runtime-contract.yaml"), contract);
    const { status, stdout } = await svcm(["env", "get", "--root", root, "--json"]);
    expect(status).toBe(3);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["error", "code", "path", "details", "issues"]);
    expect(stdout).not.toContain("canary");
  });
});

longTest("validate also takes the document as an argument, but not two documents", async () => {
  const root = repository();
  writeFileSync(join(root, "other.yaml"), "version: nothing\n");
  const named = await svcm(["validate", "other.yaml", "--root", root]);
  expect(named.status).toBe(1);
  expect(named.stdout).toContain("other.yaml:1:10 error ");
  expect(named).toEqual(await svcm(["validate", "--file", "other.yaml", "--root", root]));
  const two = await svcm(["validate", "other.yaml", "--file", "third.yaml", "--root", root]);
  expect(two.status).toBe(2);
  expect(two.stderr).toContain("Two documents were given: other.yaml and --file third.yaml.");
});

longTest.each([
  ["targets", "3 deploy targets of other.yaml are valid", "has no deploy targets: there is nothing to validate"],
  [
    "interfaces",
    "3 interface adapters of other.yaml are valid",
    "has no interface adapters: there is nothing to validate",
  ],
  ["config", "service configuration of other.yaml is valid", "has no service configuration"],
])(
  "%s validate takes the document as an argument, and names the file that it checked",
  async (topic, judged, nothing) => {
    const root = repository();
    copyFileSync(join(REPOSITORY, "deployments.yaml"), join(root, "other.yaml"));
    writeFileSync(join(root, "empty.yaml"), "version: service-management.v1\n");
    const ran = (file: string) => svcm([topic, "validate", file, "--root", root]);
    expect(await ran("other.yaml")).toMatchObject({ status: 0, stdout: expect.stringContaining(judged) as string });
    expect(await ran("empty.yaml")).toMatchObject({ status: 0, stdout: `empty.yaml ${nothing}.\n` });
  },
);
