import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import pjson from "../../package.json" with { type: "json" };
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { longTest } from "../support/runs.ts";

const page = readFileSync(join(REPOSITORY, "CONTRIBUTING.md"), "utf8");
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

test("every file and folder that CONTRIBUTING.md names exists", () => {
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  const words = [...quoted, ...links].flatMap((code) => code.split(" "));
  const paths = words.filter(
    (word) => /^\.?[\w-]+\/|^[\w-]+\.(?:md|mjs)$|^\.[\w-]+\.mjs$/.test(word) && word !== "svcm/client",
  );
  expect(paths.length).toBeGreaterThan(30);
  // `<idea>` is a placeholder: the folder above it must exist.
  const known = paths.map((path) => (path.includes("<") ? dirname(path.slice(0, path.indexOf("<") + 1)) : path));
  expect(known.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test("every npm script that CONTRIBUTING.md names exists", () => {
  const named = quoted.flatMap((code) => /^npm (?:run )?(start|stop|test|[\w:]+)/.exec(code)?.[1] ?? []);
  const scripts = named.filter((name) => name !== "ci" && name !== "install");
  expect(scripts).toEqual(expect.arrayContaining(["start", "test", "check", "dev", "generate"]));
  expect(scripts.filter((name) => !(name in pjson.scripts))).toEqual([]);
});

longTest("a command runs from source as it is built, with the process that it starts", () => {
  const run = (program: string) =>
    spawnSync(process.execPath, [program, "ecosystem", "show", "--json"], {
      cwd: REPOSITORY,
      env: plainEnvironment(),
      encoding: "utf8",
    });
  const [source, built] = [run("bin/dev.js"), run("bin/run.js")];
  expect(source.stderr).toBe("");
  expect(JSON.parse(source.stdout)).toEqual(JSON.parse(built.stdout));
});
