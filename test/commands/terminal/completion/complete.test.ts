import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { complete, type CommandSpec } from "../../../../src/commands/__complete.ts";
import {
  ARGUMENT_SOURCES,
  FLAG_SOURCES,
  FREE_TEXT_FLAGS,
} from "../../../../src/commands/terminal/completion/sources.ts";
import { escapeForBash, splitLine } from "../../../../src/commands/terminal/completion/shells.ts";
import { REPOSITORY } from "../../../support/command-line.ts";

const manifest = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as {
  commands: Record<string, CommandSpec>;
};
const commands = Object.values(manifest.commands);

/** The candidates after the words. Each source returns its own name. */
async function offers(...words: string[]): Promise<string[]> {
  const { candidates } = await complete(words, commands, async (source) => [{ value: `<${source}>` }]);
  return candidates.map(({ value }) => value);
}

describe("candidates", () => {
  test("topics and commands, except hidden ones", async () => {
    const first = await offers("");
    expect(first).toEqual(expect.arrayContaining(["completion", "env", "serve"]));
    expect(first.some((word) => word.startsWith("_"))).toBe(false);
    expect(await offers("en")).toEqual(["env"]);
    expect(await offers("env", "profile", "")).toEqual(["apply", "list", "show"]);
  });

  test("flags that are not given yet, also after arguments", async () => {
    expect(await offers("env", "get", "--")).toEqual(expect.arrayContaining(["--environment", "--json", "--root"]));
    expect(await offers("env", "get", "-e", "dev", "--env")).toEqual([]);
    expect(await offers("env", "set", "SVC_REALTIME_API=yes", "--dry")).toEqual(["--dry-run"]);
    expect(await offers("targets", "edit", "a", "--clear", "region", "--cl")).toEqual(["--clear"]);
  });

  test("values of a flag, in every form in which it may be written", async () => {
    expect(await offers("env", "get", "--environment", "")).toEqual(["<environments>"]);
    expect(await offers("env", "get", "-e", "")).toEqual(["<environments>"]);
    expect(await offers("env", "get", "--environment=")).toEqual(["--environment=<environments>"]);
    expect(await offers("metrics", "watch", "-e", "")).toEqual(["<ecosystems>"]);
    expect(await offers("validate", "--format", "s")).toEqual(["sarif"]);
  });

  test("arguments by position; the last one again if it may repeat", async () => {
    expect(await offers("env", "diff", "")).toEqual(["<environments>"]);
    expect(await offers("env", "diff", "dev", "ci", "")).toEqual([]);
    expect(await offers("process", "stop", "api", "")).toEqual(["<processes>"]);
    expect(await offers("process", "stop", "<processes>", "")).toEqual([]);
    expect(await offers("startup", "check", "g")).toEqual(["grpc"]);
    expect(await offers("keys", "allow", "")).toEqual(["<projectKeys>"]);
    expect(await offers("keys", "allow", "PORT", "")).toEqual(["<projectKeys>"]);
    expect(await offers("restart", "api", "")).toEqual(["<processes>"]);
  });

  test("keys, then the values of a key", async () => {
    expect(await offers("env", "set", "")).toEqual(["<editableKeys>="]);
    expect(await offers("env", "set", "A=")).toEqual(["A=<value:A>"]);
    expect(await offers("config", "set", "runMode=")).toEqual(["runMode=<field:runMode>"]);
  });

  test("paths, for a file or a folder", async () => {
    const paths = async (...words: string[]) => (await complete(words, commands, async () => [])).paths;
    expect(await paths("env", "get", "--root", "")).toBe("folders");
    expect(await paths("targets", "list", "--file", "")).toBe("files");
    expect(await paths("env", "get", "")).toBe("none");
  });
});

test("every flag and argument has a source, a closed list, or is free text", () => {
  const missing = commands
    .filter(({ hidden }) => !hidden)
    .flatMap(({ id, args, flags }) => [
      ...Object.entries(flags)
        .filter(
          ([name, { type, options }]) =>
            type === "option" && !options && !FLAG_SOURCES[name] && !FREE_TEXT_FLAGS.has(name),
        )
        .map(([name]) => `${id} --${name}`),
      ...Object.entries(args)
        .filter(([, { options }], place) => !options && !ARGUMENT_SOURCES[id]?.[place])
        .map(([name]) => `${id} ${name}`),
    ]);
  expect(missing).toEqual([]);
});

describe("a line of bash", () => {
  test.each([
    ["svcm env get ", ["svcm", "env", "get", ""], ""],
    ["svcm targets edit 'a b' --na", ["svcm", "targets", "edit", "a b", "--na"], ""],
    [String.raw`svcm targets edit a\ b`, ["svcm", "targets", "edit", "a b"], ""],
    ['svcm env set "SVC_A=x y', ["svcm", "env", "set", "SVC_A=x y"], '"'],
    ["svcm env set ''", ["svcm", "env", "set", ""], ""],
  ])("%j is split into words", (line, words, quote) => {
    expect(splitLine(line)).toEqual({ words, quote });
  });

  test.each([
    ["svcm env set A=M", "A=MS SQL", String.raw`MS\ SQL`],
    ["svcm env set 'A=M", "A=MS SQL", "A=MS SQL"],
    ["svcm stop a:", "a:$(reboot)", String.raw`\$\(reboot\)`],
  ])("after %j, the candidate is inserted as bash needs it", (line, value, inserted) => {
    expect(escapeForBash(value, splitLine(line), " \t\n\"'><=;|&(:")).toBe(inserted);
  });
});
