import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY, svcm } from "../support/command-line.ts";
import { longTest } from "../support/runs.ts";

const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string };

describe("the version", () => {
  test.each(["--version", "-v", "version"])("%s names the release, the machine and Node", (flag) => {
    const { status, stdout, stderr } = svcm([flag]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`svcm/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
  });
});

describe("the root help", () => {
  test("lists every topic and every command without a topic", () => {
    const { status, stdout } = svcm(["--help"]);
    expect(status).toBe(0);
    for (const word of readdirSync(join(REPOSITORY, "dist/commands"))
      .filter((name) => !name.startsWith("_"))
      .filter((name) => !name.endsWith(".map"))) {
      expect(stdout).toMatch(new RegExp(`^  ${word.replace(".cjs", "")} `, "m"));
    }
  });

  test.each([[[]], [["-h"]], [["help"]]])("is the same for %j, answered early or by oclif", (argv) => {
    expect(svcm(argv)).toEqual(svcm(["--help"]));
  });

  test("has oclif's colours with FORCE_COLOR", () => {
    const env = { FORCE_COLOR: "1" };
    const { stdout } = svcm(["--help"], { env });
    expect(stdout).toContain("\u001B[1m");
    expect(stdout).toBe(svcm(["help"], { env }).stdout);
  });
});

test("the help of a command and of a topic", () => {
  expect(svcm(["env", "get", "--help"]).stdout).toContain("--environment=<name>");
  expect(svcm(["env"]).stdout).toMatch(/^ {2}env get /m);
});

test.each(["env get", "process restart", "validate", "env"])(
  "help %s is its --help, with the summary once",
  (command) => {
    const words = command.split(" ");
    const { status, stdout, stderr } = svcm(["help", ...words]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(svcm([...words, "--help"]).stdout);
    const [summary = ""] = stdout.split("\n");
    expect(stdout.split(summary)).toHaveLength(2);
  },
);

const manifest = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as {
  readonly commands: Readonly<Record<string, { readonly hidden?: boolean; readonly description?: string }>>;
};

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
