import { describe, expect, test } from "vitest";
import { deployRootOf, ignoresState, lastingFolder, mayWatchState } from "../../../src/core/project/state-place.ts";

describe("a PM2 file whose watch may cover .svcm", () => {
  test.each([
    ["watch: true, ignore_watch: ['node_modules', 'logs']", true],
    ['"watch": true, "ignore_watch": ["node_modules"]', true],
    ["watch: isDev, ignore_watch: LIST", true],
    ["watch: true, watch_options: { ignored: ['x'] }", true],
    ["watch: true", false],
    ["watch: false, ignore_watch: ['node_modules']", false],
    ["ignore_watch: ['node_modules']", false],
    ["watch: true, ignore_watch: ['node_modules', '.svcm']", false],
    ["watch: ['src'], ignore_watch: ['.*']", false],
  ])("%s", (text, expected) => {
    expect(mayWatchState(`module.exports = { apps: [{ name: "a", ${text} }] }`)).toBe(expected);
  });
});

test("only a pattern that surely covers the folder counts", () => {
  for (const pattern of [".svcm", "./.svcm/", ".svcm/**", "**/.svcm/**", ".*"])
    expect(ignoresState([pattern])).toBe(true);
  for (const pattern of ["svcm", ".svcm2", ".svcm/audit.jsonl", "*", ".git"])
    expect(ignoresState([pattern])).toBe(false);
});

test("a release beside others has its state next to current", () => {
  const exists = (path: string): boolean => path === "/srv/shop/current";
  expect(deployRootOf("/srv/shop/releases/3", exists)).toBe("/srv/shop");
  expect(deployRootOf("/srv/shop/releases/3", () => false)).toBeUndefined();
  expect(deployRootOf("/srv/shop/source", () => true)).toBeUndefined();
});

test.each([
  ["/srv/shop/releases/3", "/srv/shop"],
  ["/srv/shop/releases/3/packages/api", "/srv/shop"],
  ["/srv/other/releases/3", "/srv/other/releases/3"],
  ["/srv/shop/source", "/srv/shop/source"],
])("for PM2's daemon, %s is %s, which outlives a release", (folder, expected) => {
  expect(lastingFolder(folder, (path) => path === "/srv/shop/shared")).toBe(expected);
});
