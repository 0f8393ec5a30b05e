import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withDefaultCommand } from "../../src/cli/early-answer.ts";
import { rootHelp, rootWords, type Subject } from "../../src/commands/terminal/command-set.ts";
import { REPOSITORY, svcm } from "../support/command-line.ts";
import { longTest } from "../support/runs.ts";
import { makeWorkspace } from "../support/workspace.ts";

const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string };

const manifest = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as {
  readonly commands: Readonly<Record<string, { readonly hidden?: boolean; readonly description?: string }>>;
};

describe("the version", () => {
  test.each(["--version", "-v", "version"])("%s names the release, the machine and Node", (flag) => {
    const { status, stdout, stderr } = svcm([flag]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`svcm/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
  });
});

describe("the root help", () => {
  test("has the seven groups on less than a screen, and no line is wider than it", () => {
    const { status, stdout } = svcm(["--help"]);
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    expect(lines.flatMap((line) => /^[A-Z]\S*(?: up)?(?= {2,})/.exec(line) ?? [])).toEqual([
      "Usage",
      "See",
      "Change",
      "Values",
      "Verify",
      "Declare",
      "Set up",
    ]);
    expect(lines.length).toBeLessThan(24);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  test.each([[["-h"]], [["help"]]])("is the same for %j", (argv) => {
    expect(svcm(argv)).toEqual(svcm(["--help"]));
  });

  test("has bold names with FORCE_COLOR", () => {
    expect(svcm(["--help"], { env: { FORCE_COLOR: "1" } }).stdout).toContain("\u001B[1mSee\u001B[22m");
  });

  test("a group whose subject the repository lacks is one line at the end", () => {
    const subjects: ReadonlySet<Subject> = new Set(["deployments.yaml", "nats: in svcm.yaml"]);
    const screen = { width: 200, bold: (text: string) => text };
    expect(rootHelp(subjects, screen)).toMatch(/^Declare +ecosystem show {2}targets .*\nMachines +nodes /m);
    expect(rootHelp(new Set(), screen)).toMatch(/\n\nWith deployments.yaml: targets .*\nWith nats: .*\n$/);
    expect(rootHelp(new Set(), { ...screen, width: 80 })).toMatch(/\n\nWith deployments.yaml: .*\nWith nats: .*\n$/);
    expect(rootHelp(new Set(), screen)).not.toMatch(/^Machines/m);
  });

  test("names every command and topic, and nothing else", () => {
    const manifestIds = Object.entries(manifest.commands).filter(([, { hidden }]) => !hidden);
    const words = new Set(manifestIds.map(([id]) => id.split(":")[0] ?? id));
    expect([...rootWords()].filter((word) => word !== "monit").toSorted()).toEqual(
      [...words].filter((word) => word !== "help").toSorted(),
    );
  });
});

describe("without a command", () => {
  test("svcm shows the state and the groups, and with --json only the state", async () => {
    const { root } = makeWorkspace({ "index.js": "" });
    const { status, stdout } = svcm([], { cwd: root, env: { PM2_HOME: `${root}/.pm2` } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^No svcm.yaml .*\n {2}No PM2 daemon runs.\nNext: svcm init\n\nSee /);
    const json = svcm(["--json"], { cwd: root, env: { PM2_HOME: `${root}/.pm2` } });
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: "idle", next: "svcm init" });
  });

  test.each([
    [[], ["status", "--groups"]],
    [["--json"], ["status", "--json"]],
    [
      ["--json", "--help"],
      ["--json", "--help"],
    ],
    [
      ["env", "get"],
      ["env", "get"],
    ],
  ])("%j is %j", (typed, run) => {
    expect(withDefaultCommand(typed)).toEqual(run);
  });
});

test("the help of a command and of a topic", () => {
  expect(svcm(["env", "get", "--help"]).stdout).toContain("--environment=<name>");
  expect(svcm(["env"]).stdout).toMatch(/^ {2}env get /m);
});

longTest.each(["env get", "restart", "validate", "env"])("help %s is its --help, with the summary once", (command) => {
  const words = command.split(" ");
  const { status, stdout, stderr } = svcm(["help", ...words]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toBe(svcm([...words, "--help"]).stdout);
  const [summary = ""] = stdout.split("\n");
  expect(stdout.split(summary)).toHaveLength(2);
});

longTest.each(
  Object.entries(manifest.commands).flatMap(([id, { description, hidden }]) =>
    description === undefined || hidden ? [] : [[id.replaceAll(":", " "), description] as const],
  ),
)("the help of %s has its complete description", (command, description) => {
  const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
  expect(inOneLine(svcm([...command.split(" "), "--help"]).stdout)).toContain(inOneLine(description));
});

test("help for an unknown command is refused in the same way as the command", () => {
  const { status, stderr } = svcm(["help", "env", "gte"]);
  expect(status).toBe(2);
  expect(stderr).toContain("COMMAND_NOT_FOUND");
});
