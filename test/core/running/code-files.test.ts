import { describe, expect, test } from "vitest";
import {
  isCode,
  mayBeCode,
  toExpression,
  type CodeRules,
  type GitStatus,
} from "../../../src/core/running/code-files.ts";
import { findUnit } from "../../../src/core/running/find-unit.ts";

const rules = (scriptFolder: string | null, more: Partial<CodeRules> = {}): CodeRules => ({
  scriptFolder,
  include: [],
  exclude: [],
  ...more,
});

test.each([
  ["server.js", true],
  ["src/mail.ts", true],
  ["views/page.ejs", true],
  ["app.log", false],
  ["logs/app.js", false],
  [".env", false],
  [".env.production", false],
  ["package-lock.json", false],
  ["data/shop.sqlite", false],
  ["data/shop.sqlite-wal", false],
  ["public/logo.png", false],
  ["README.md", false],
  ["docs/guide.js", false],
  ["tests/a.js", false],
  ["src/a.test.ts", false],
  ["eslint.config.js", false],
  ["svcm.yaml", false],
  ["src/testing.js", true],
  ["licenses.js", true],
])("%s may be code: %s", (path, expected) => {
  expect(mayBeCode(path, rules(""))).toBe(expected);
});

test("beside the script, a folder with any name holds code", () => {
  expect(mayBeCode("test/app.js", rules("test"))).toBe(true);
  expect(mayBeCode("test/app.log", rules("test"))).toBe(false);
});

test.each<readonly [path: string, status: GitStatus, scriptFolder: string | null, expected: boolean]>([
  ["page.txt", "tracked", "", true],
  ["page.txt", "untracked", "", false],
  ["lib/a.js", "untracked", "", true],
  ["state.json", "untracked", "", false],
  ["state.json", "no-git", "", true],
  ["data/state.json", "no-git", "", false],
  ["uploads/a.html", "untracked", "", false],
  ["dist/main.js", "ignored", "dist", true],
  ["dist/config.json", "ignored", "dist", true],
  ["dist/main.js", "ignored", "src", false],
  ["dist/main.js", "ignored", "", true],
  [".next/server/page.js", "ignored", null, true],
  [".next/manifest.json", "ignored", null, true],
  [".cache/a.js", "ignored", null, false],
])("%s, %s, script in %s, is code: %s", (path, status, scriptFolder, expected) => {
  expect(isCode(path, status, rules(scriptFolder))).toBe(expected);
});

test("include and exclude decide first, and exclude before include", () => {
  const own = rules("", { include: ["prompts/**", "docs"], exclude: ["**/generated/**", "prompts/old.txt"] });
  expect(
    ["prompts/a.txt", "docs/a.md", "prompts/old.txt", "src/generated/a.js"].map((path) => mayBeCode(path, own)),
  ).toEqual([true, true, false, false]);
  expect(isCode("prompts/a.txt", "ignored", own)).toBe(true);
});

test.each([
  ["*.json", "a/b.json", true],
  ["./lib", "lib/a/b.js", true],
  ["lib/*.js", "lib/a/b.js", false],
  ["lib/**/b.js", "lib/b.js", true],
  ["a+b", "aab", false],
])("the pattern %s matches %s: %s", (pattern, path, expected) => {
  expect(toExpression(pattern).test(path)).toBe(expected);
});

describe("the unit", () => {
  const question = {
    cwd: "/srv/app",
    script: "/srv/app/server.js",
    declaredCwd: "/srv/app",
    declaredScript: "/srv/app/server.js",
    serviceFolder: null,
    root: "/srv/app",
    hasPackage: (folder: string) =>
      folder === "/srv/app" || folder === "/srv/app/packages/mail" || folder === "/opt/tool",
  };

  test.each([
    ["the folder of the app", {}, ["/srv/app", ""]],
    [
      "the package around a deeper folder",
      {
        cwd: "/srv/app/src",
        declaredCwd: "/srv/app/src",
        script: "/srv/app/src/a.js",
        declaredScript: "/srv/app/src/a.js",
      },
      ["/srv/app", "src"],
    ],
    [
      "the folder of its service",
      {
        cwd: "/srv/app/services/api/bin",
        serviceFolder: "/srv/app/services/api",
        declaredCwd: "/srv/app/services/api/bin",
        declaredScript: "/srv/app/services/api/bin/a.js",
        script: "/srv/app/services/api/bin/a.js",
      },
      ["/srv/app/services/api", "bin"],
    ],
    ["the folder of a wrapper", { script: "/usr/lib/node_modules/npm/bin/npm-cli.js" }, ["/srv/app", null]],
    [
      "the folder of a program of node_modules",
      { script: "/srv/app/node_modules/next/dist/bin/next" },
      ["/srv/app", null],
    ],
    ["the folder of a missing script", { script: null }, ["/srv/app", null]],
    [
      "the package of a script elsewhere",
      { cwd: "/var/lib/app", root: "/var/lib/app", declaredCwd: "/var/lib/app", script: "/opt/tool/bin/run.js" },
      ["/opt/tool", "bin"],
    ],
    [
      "the release behind a link to the script",
      { declaredScript: "/srv/app/current/server.js", script: "/srv/app/releases/2/server.js" },
      ["/srv/app/releases/2", ""],
    ],
    [
      "the release behind a link to the folder",
      { cwd: "/srv/rel/2", declaredCwd: "/srv/app/current", script: "/srv/rel/2/server.js" },
      ["/srv/rel/2", ""],
    ],
  ])("%s", (_name, more, [folder, scriptFolder]) => {
    expect(findUnit({ ...question, ...more })).toEqual({ folder, scriptFolder });
  });

  test("an app without its folder does not have a unit", () => {
    expect(findUnit({ ...question, cwd: null })).toBeUndefined();
  });
});
