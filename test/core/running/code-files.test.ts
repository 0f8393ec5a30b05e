import { describe, expect, test } from "vitest";
import {
  mayBeCode,
  mayHoldCode,
  toExpression,
  weigh,
  type Age,
  type CodeRules,
  type GitStatus,
  type Weight,
} from "../../../src/core/running/code-files.ts";
import { findUnit, isLauncher, packageOf } from "../../../src/core/running/code-evidence.ts";

const rules = (scriptFolder: string | null, more: Partial<CodeRules> = {}): CodeRules => ({
  named: new Set<string>(),
  others: new Set<string>(),
  scriptFolder,
  include: [],
  exclude: [],
  ...more,
});

test.each([
  ["server.js", true],
  ["src/mail.ts", true],
  ["src/world.ts", true],
  ["next-env.d.ts", false],
  ["types/generated/content.d.mts", false],
  ["views/page.ejs", true],
  ["app.log", false],
  ["log/index.js", true],
  ["logs/app.json", false],
  [".env", false],
  [".env.production", false],
  ["./.env", false],
  ["config/.env", true],
  ["config/.env.example", false],
  ["package-lock.json", false],
  ["data/shop.sqlite", false],
  ["data/shop.sqlite-wal", false],
  ["public/logo.png", false],
  ["README.md", false],
  ["content/post.md", true],
  ["docs/guide.js", false],
  ["docs/openapi.yaml", true],
  ["tests/a.js", false],
  ["src/a.test.ts", false],
  ["eslint.config.js", false],
  ["svcm.yaml", false],
  ["ecosystem.config.js", false],
  ["pm2/ecosystem.staging.config.cjs", false],
  ["src/ecosystem/ecosystem.service.js", true],
  ["pm2-local.config.js", false],
  ["ecosystem.production.json", false],
  ["pm2.js", true],
  ["src/testing.js", true],
  ["licenses.js", true],
  [".next/server/route-cache/APP_PAGE/c3/$/sale.html", false],
  [".next/standalone/.next/server/pages/sale.json", false],
  [".next/server/pages-manifest.json", true],
  [".next/server/app/sale/page.js", true],
])("%s may be code: %s", (path, expected) => {
  expect(mayBeCode(path, rules(""))).toBe(expected);
});

test("beside the script, a folder with any name holds code", () => {
  expect(mayBeCode("test/app.js", rules("test"))).toBe(true);
  expect(mayBeCode("test/app.log", rules("test"))).toBe(false);
  expect(mayBeCode(".next/standalone/.next/server/app/sale.html", rules(".next/standalone"))).toBe(false);
});

type Row = readonly [path: string, status: GitStatus, age: Age, scriptFolder: string | null, expected: Weight];

test.each<Row>([
  ["page.txt", "tracked", "old", "", "code"],
  ["docs/openapi.yaml", "tracked", "old", "", "doubtful"],
  ["content/post.md", "tracked", "old", "", "doubtful"],
  ["log/index.js", "tracked", "old", "", "code"],
  ["page.txt", "untracked", "old", "", "doubtful"],
  ["page.txt", "untracked", "new", "", "none"],
  ["lib/a.js", "untracked", "new", "", "code"],
  ["config.local.json", "ignored", "old", "", "doubtful"],
  ["config/.env", "ignored", "old", "", "doubtful"],
  ["config/.env", "ignored", "new", "", "doubtful"],
  ["config/local.json", "ignored", "new", "", "doubtful"],
  ["config/local.json", "no-git", "old", "", "code"],
  ["src/.env", "ignored", "old", "src", "doubtful"],
  ["config/.env.production", "tracked", "old", "", "doubtful"],
  ["certs/key.pem", "ignored", "old", "src", "doubtful"],
  ["config/local.ini", "ignored", "old", "", "doubtful"],
  ["page.txt", "ignored", "old", "", "none"],
  ["state.json", "untracked", "new", "", "none"],
  ["locales/fr.json", "untracked", "fellow", "", "doubtful"],
  ["state.json", "no-git", "old", "", "code"],
  ["state.json", "no-git", "new", "", "none"],
  ["locales/fr.json", "no-git", "fellow", "", "doubtful"],
  ["rates.ini", "no-git", "old", "", "doubtful"],
  ["data/state.json", "no-git", "new", "", "none"],
  ["data/countries.json", "no-git", "old", "", "doubtful"],
  ["data/index.js", "no-git", "old", "", "doubtful"],
  ["cache/index.js", "no-git", "old", "", "doubtful"],
  ["cache/page.html", "no-git", "old", "", "none"],
  ["uploads/a.html", "untracked", "new", "", "none"],
  ["uploads/a.js", "no-git", "new", "", "none"],
  ["src/uploads/a.js", "no-git", "new", "src", "none"],
  ["src/uploads/route.js", "no-git", "old", "src", "code"],
  ["logs/a.js", "no-git", "new", "", "none"],
  ["dist/main.js", "ignored", "old", "dist", "code"],
  ["dist/config.json", "ignored", "old", "dist", "code"],
  ["dist/main.js", "ignored", "old", "bin", "doubtful"],
  ["dist/main.js", "ignored", "old", "", "code"],
  [".next/server/page.js", "ignored", "old", null, "code"],
  [".next/manifest.json", "ignored", "old", null, "code"],
])("%s, %s, %s, script in %s, is %s", (path, status, age, scriptFolder, expected) => {
  expect(weigh(path, status, age, rules(scriptFolder))).toBe(expected);
});

test("include and exclude decide first, and exclude before include", () => {
  const own = rules("", { include: ["prompts/**", "docs"], exclude: ["**/generated/**", "prompts/old.txt"] });
  expect(
    ["prompts/a.txt", "docs/a.md", "prompts/old.txt", "src/generated/a.js"].map((path) => mayBeCode(path, own)),
  ).toEqual([true, true, false, false]);
  expect(weigh("prompts/a.txt", "ignored", "new", own)).toBe("code");
});

test("the script is code, whatever its name", () => {
  const own = rules("bin", { named: new Set(["bin/www"]) });
  expect(mayBeCode("bin/www", own)).toBe(true);
  expect(weigh("bin/www", "no-git", "old", own)).toBe("code");
  expect(mayBeCode("run.log", rules("", { named: new Set(["run.log"]) }))).toBe(true);
});

test.each<readonly [folder: string, rules: CodeRules, hasGit: boolean, expected: boolean]>([
  ["lib", rules(""), false, true],
  ["docs", rules(""), true, false],
  ["logs", rules(""), false, false],
  ["data", rules(""), false, false],
  ["data", rules(""), true, true],
  ["docs/prompts", rules("", { include: ["docs/prompts/*.txt"] }), true, true],
  ["docs", rules("", { include: ["docs/prompts/*.txt"] }), true, true],
  ["data/x", rules("", { include: ["data"] }), false, true],
  ["logs", rules("", { include: ["docs/**"] }), false, false],
  ["test/data", rules("test"), false, true],
])("new names in %s may be code", (folder, own, hasGit, expected) => {
  expect(mayHoldCode(folder, hasGit, own)).toBe(expected);
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

test("settings that the declaration names are at least in doubt", () => {
  const own = rules("src", { settings: new Set(["prod.json", "../etc/prod.yaml", "settings.bak"]) });
  for (const path of own.settings ?? []) expect(mayBeCode(path, own)).toBe(true);
  for (const status of ["untracked", "ignored", "no-git"] as const)
    for (const path of own.settings ?? []) expect(weigh(path, status, "new", own)).toBe("doubtful");
  expect(weigh("prod.json", "tracked", "new", own)).toBe("code");
  expect(weigh("../etc/prod.yaml", "no-git", "old", { ...own, include: ["../etc/prod.yaml"] })).toBe("code");
  expect(mayBeCode("../etc/prod.yaml", { ...own, exclude: ["../etc/prod.yaml"] })).toBe(false);
});

test.each([
  ["/usr/bin/npm", true],
  ["/usr/lib/node_modules/npm/bin/npm-cli.js", true],
  ["/root/.nvm/versions/node/v20.1.0/bin/node", true],
  ["/bin/bash", true],
  ["/usr/local/bin/shopd", false],
  ["/srv/app/server.js", false],
])("%s only starts other programs: %s", (script, expected) => {
  expect(isLauncher(script)).toBe(expected);
});

test("the package of a script is the innermost one", () => {
  expect(packageOf("/opt/node_modules/.pnpm/a@1/node_modules/@shop/a/bin/a.js")).toBe(
    "/opt/node_modules/.pnpm/a@1/node_modules/@shop/a",
  );
  expect(packageOf("/srv/node_modules/next/dist/bin/next")).toBe("/srv/node_modules/next");
  expect(packageOf("/srv/app/server.js")).toBeUndefined();
});

test.each([
  ["rates.json", "no-git", "old", "code"],
  ["rates.json", "no-git", "rewritten", "doubtful"],
  ["server.js", "no-git", "rewritten", "code"],
  ["rates.json", "tracked", "rewritten", "code"],
  ["own.json", "no-git", "old", "none"],
  ["own.json", "tracked", "rewritten", "code"],
] as const)("%s, %s and %s, is %s", (path, status, age, expected) => {
  expect(weigh(path, status, age, { ...rules(""), own: new Set(["own.json"]) })).toBe(expected);
});
