/** Releases are filed by this name, so every release folder of a service needs the same one. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { serviceName } from "../../../src/core/project/workspace.node.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const ORIGIN = '[core]\n\tbare = false\n[remote "origin"]\n\tfetch = +refs/heads/*\n\turl = ';

test("the package names the service, and one without a name does not", () => {
  const { root } = makeWorkspace({ "shop/package.json": '{"name":"@team/shop"}', "other/package.json": "{}" });
  expect(serviceName(join(root, "shop"))).toBe("team-shop");
  expect(serviceName(join(root, "other"))).toBe("other");
});

test.each([
  "1",
  "v2.0.1",
  "20261127080501",
  "2026-11-27_08-05",
  "20261127080501-4a91c77",
  "4a91c7704c",
  "releases/3",
  "current",
])("the release folder %s without a package has the name of the folder above", (release) => {
  expect(serviceName(`/srv/shop/${release}`)).toBe("shop");
});

test.each(["blue", "cafe", "api-2", "2nd-shop"])("a folder with a name keeps it: %s", (name) => {
  expect(serviceName(`/srv/shop/${name}`)).toBe(name);
});

test("without a package, clones and worktrees have the name of their origin", () => {
  const workspace = makeWorkspace({ "blue/.git/config": `${ORIGIN}git@github.com:team/shop.git\n` });
  workspace.write("green/.git/config", `${ORIGIN}/srv/git/shop.git/\n`);
  workspace.write("tree/.git", `gitdir: ${workspace.path("blue/.git/worktrees/tree")}\n`);
  workspace.write("local/.git/config", "[core]\n\tbare = false\n");
  const names = ["blue", "green", "tree", "local"].map((folder) => serviceName(workspace.path(folder)));
  expect(names).toEqual(["shop", "shop", "shop", "local"]);
});

test("an origin of many lines is read at once, with an address or without", () => {
  const many = `[remote "origin"]\n${"    fetch = +refs/heads/*\n\n".repeat(200)}`;
  const workspace = makeWorkspace({ "blue/.git/config": `${many}[user]\n` });
  workspace.write("green/.git/config", `${many}    url = git@github.com:team/shop.git\n`);
  expect(["blue", "green"].map((folder) => serviceName(workspace.path(folder)))).toEqual(["blue", "shop"]);
});
