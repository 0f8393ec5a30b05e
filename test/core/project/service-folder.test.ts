/** Records are filed by the name of a service, so every release folder of a service needs the same one. */
import { renameSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { expect, test } from "vitest";
import { ownerRecord, serviceFolder, serviceName } from "../../../src/core/project/service-folder.node.ts";
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

const shop = (origin?: string): Record<string, string> => ({
  "package.json": '{"name":"shop"}',
  ".git/config": origin === undefined ? "" : `${ORIGIN}${origin}\n`,
});

/** Folders of projects in one workspace, and the folders below PM2_HOME that their records have. */
function machine(projects: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const files = Object.entries(projects).flatMap(([folder, own]) =>
    Object.entries(own).map(([name, text]) => [`${folder}/${name}`, text]),
  );
  const workspace = makeWorkspace(Object.fromEntries(files));
  const home = workspace.path("home");
  const claim = (folder: string): string => {
    const { path, text } = ownerRecord(home, workspace.path(folder)) ?? {};
    if (path !== undefined && text !== undefined) workspace.write(relative(workspace.root, path), text);
    return basename(serviceFolder(home, workspace.path(folder)));
  };
  return { workspace, home, claim };
}

test("two projects whose packages have one name have separate records", () => {
  const { claim } = machine({ one: shop(), two: shop(), three: shop("git@host:team/three.git"), four: shop() });
  expect(["one", "two", "three", "two", "one", "four"].map(claim)).toEqual([
    "shop",
    "shop-2",
    "shop-3",
    "shop-2",
    "shop",
    "shop-4",
  ]);
});

test("what svcm notes of running processes before an apply stays where the next command looks for it", () => {
  const { workspace, home, claim } = machine({ one: shop(), two: shop() });
  expect(claim("one")).toBe("shop");
  const places = ["first", "second", "third"].map((name) => {
    const folder = serviceFolder(home, workspace.path("two"));
    workspace.write(`${relative(workspace.root, folder)}/starts/${name}.json`, "{}");
    return basename(folder);
  });
  expect([...places, claim("two")]).toEqual(Array(4).fill("shop-2"));
});

test("clones and worktrees of a repository have their records together, also by another address", () => {
  const address = "git@Host.org:team/shop.git";
  const { workspace, claim } = machine({ "a/shop": shop(address), "b/shop": shop("https://host.org/team/shop") });
  workspace.write("c/shop/package.json", '{"name":"shop"}');
  workspace.write("c/shop/.git", `gitdir: ${workspace.path("a/shop/.git/worktrees/c")}\n`);
  workspace.write("d/shop/package.json", '{"name":"shop"}');
  workspace.write("d/shop/.git/config", `${ORIGIN}ssh://git@host.org:22/team/shop/\n`);
  expect(["a", "b", "c", "d"].map((folder) => claim(`${folder}/shop`))).toEqual(Array(4).fill("shop"));
});

test("a clone of a local checkout has its records, and another folder of one repository has not", () => {
  const { workspace, claim } = machine({ "a/shop": shop() });
  workspace.write("b/shop/package.json", '{"name":"shop"}');
  workspace.write("b/shop/.git/config", `${ORIGIN}${workspace.path("a/shop")}\n`);
  workspace.write("a/shop/demo/package.json", '{"name":"shop"}');
  expect(["a/shop", "b/shop", "a/shop/demo"].map(claim)).toEqual(["shop", "shop", "shop-2"]);
});

test("a checkout that was moved takes its records along, and a removed one of another origin leaves its own", () => {
  const { workspace, claim } = machine({ old: shop(), "ci/1": shop("https://host.org/team/shop") });
  expect(claim("old")).toBe("shop");
  renameSync(workspace.path("old"), workspace.path("moved"));
  expect(["moved", "ci/1", "moved"].map(claim)).toEqual(["shop", "shop-2", "shop"]);
  rmSync(workspace.path("ci"), { recursive: true });
  for (const [name, text] of Object.entries(shop("https://host.org/team/blog"))) workspace.write(`ci/2/${name}`, text);
  for (const [name, text] of Object.entries(shop("https://host.org/team/shop"))) workspace.write(`ci/3/${name}`, text);
  expect(["ci/2", "ci/3"].map(claim)).toEqual(["shop-3", "shop-2"]);
});

test("unpacked versions beside each other, and releases, are one project", () => {
  const bare = { "package.json": '{"name":"shop"}' };
  const names = ["shop-1.2.0", "shop-1.10.0-rc.1", "shop-green", "releases/1", "releases/2", "blog"];
  const { claim } = machine(Object.fromEntries(names.map((name) => [name, bare])));
  expect(names.map(claim)).toEqual(["shop", "shop", "shop", "shop-2", "shop-2", "shop-3"]);
});

test("a release of svcm deploy has the records of its checkout", () => {
  const { workspace, home, claim } = machine({ one: shop(), two: shop(), "srv/releases/9": shop() });
  expect(["one", "two"].map(claim)).toEqual(["shop", "shop-2"]);
  const head = { event: "begin", checkout: workspace.path("two"), prefix: "", source: workspace.path("two") };
  workspace.write("srv/records/9.jsonl", `${JSON.stringify(head)}\n`);
  expect(claim("srv/releases/9")).toBe("shop-2");
  expect(basename(serviceFolder(home, join(home, "svcm/shop-2/deploy/releases/9")))).toBe("shop-2");
});

test("records of an older svcm belong to the checkout that its newest release names", () => {
  const { workspace, claim } = machine({ one: shop(), two: shop() });
  const journal = "home/svcm/shop/releases/20261122-044103-b8f9/journal.jsonl";
  workspace.write(journal, `${JSON.stringify({ event: "release", root: workspace.path("two") })}\n`);
  expect(["one", "two"].map(claim)).toEqual(["shop-2", "shop"]);
});
