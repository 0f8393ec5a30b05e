/** An app may read an env file that svcm.yaml does not name: dotenv reads `.env` of its folder. */
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeFileStamps } from "../../../src/core/files/index.ts";
import { unnamedEnvFiles } from "../../../src/core/running/loaded-paths.ts";
import { makeWorkspace } from "../../support/workspace.ts";

test("files of the folder count, a link as the file that it leads to, unless an environment names them", () => {
  const workspace = makeWorkspace({ "shared/.env": "A=1\n", "app/.env.production": "A=2\n", "app/.env.dev": "A=3\n" });
  symlinkSync("../shared/.env", workspace.path("app/.env"));
  symlinkSync("app", workspace.path("current"));
  const found = (cwd: string, named: readonly string[], own: readonly string[] = []) => {
    const [paths, envFiles] = [named, own].map((list) => list.map((path) => workspace.path(path)));
    const find = unnamedEnvFiles(nodeFileStamps, {
      root: workspace.root,
      environment: "production",
      named: paths ?? [],
      own: paths ?? [],
    });
    return find({ cwd: workspace.path(cwd), envFiles: envFiles ?? [] }).map((path) =>
      path.slice(workspace.root.length + 1),
    );
  };
  expect(found("app", [])).toEqual(["app/.env", "app/.env.production"]);
  expect(found("app", ["app/.env.production"])).toEqual(["app/.env"]);
  expect(found("current", ["shared/.env"])).toEqual(["current/.env.production"]);
  expect(found("shared", ["shared/.env"])).toEqual([]);
  expect(found("current", [], ["shared/.env"])).toEqual(["current/.env.production"]);
  expect(found("missing", [])).toEqual([]);
});

test("files of the folders above count up to the root of the repository", () => {
  const workspace = makeWorkspace({ ".env": "A=1\n", "mono/.env": "A=2\n", "mono/packages/api/.env.local": "A=3\n" });
  const find = unnamedEnvFiles(nodeFileStamps, {
    root: workspace.path("mono"),
    environment: "production",
    named: [],
    own: [],
  });
  const found = find({ cwd: workspace.path("mono/packages/api"), envFiles: [] });
  expect(found).toEqual([workspace.path("mono/packages/api/.env.local"), workspace.path("mono/.env")]);
});

test("a file without an environment in its name counts where only another environment names it", () => {
  const workspace = makeWorkspace({ ".env": "", ".env.local": "", ".env.production": "", ".env.prod": "" });
  const [plain, local, production] = [".env", ".env.local", ".env.production"].map((name) => workspace.path(name));
  const named = [plain, local, production, workspace.path(".env.prod")].map((path) => path ?? "");
  const find = (own: readonly string[]) =>
    unnamedEnvFiles(nodeFileStamps, { root: workspace.root, environment: "production", named, own })({
      cwd: workspace.root,
      envFiles: [],
    });
  expect(find([production ?? ""])).toEqual([plain, local]);
  expect(find(named)).toEqual([]);
});

test.each([
  [
    "production",
    [".env", ".env-cmdrc.json", ".env.defaults", ".env.keys", ".env.local", ".env.prod", ".env.shared", ".env.vault"],
  ],
  [
    "dev",
    [
      ".env",
      ".env-cmdrc.json",
      ".env.defaults",
      ".env.development.local",
      ".env.keys",
      ".env.local",
      ".env.shared",
      ".env.vault",
    ],
  ],
])(
  "in %s, files with any names count, except templates, copies and those of other environments",
  (environment, names) => {
    const others = [".env.bak", ".env.example", ".env.test", ".env.production.gpg", ".envrc", ".env.staging"];
    const all = [".env.development.local", ".env.prod", ...names, ...others];
    const workspace = makeWorkspace(Object.fromEntries(all.map((name) => [name, "A=1\n"])));
    const find = unnamedEnvFiles(nodeFileStamps, { root: workspace.root, environment, named: [], own: [] });
    expect(find({ cwd: workspace.root, envFiles: [] })).toEqual(names.map((name) => workspace.path(name)));
  },
);
