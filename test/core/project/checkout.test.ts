/** Two clones on one machine are two checkouts, and releases beside each other are one place. */
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { checkoutOf, isSamePlace } from "../../../src/core/project/state-place.ts";
import { makeWorkspace } from "../../support/workspace.ts";

test("the repository holds its packages, and a folder without one has svcm.yaml", () => {
  const workspace = makeWorkspace({
    "mono/.git/config": "",
    "mono/services/api/svcm.yaml": "version: 1\n",
    "copy/svcm.yaml": "version: 1\n",
    "tree/.git": "gitdir: ../mono/.git/worktrees/tree\n",
  });
  const found = ["mono/services/api/server.js", "copy/dist/server.js", "tree", "elsewhere/server.js"];
  expect(found.map((one) => checkoutOf(workspace.ports.stamps, workspace.path(one)))).toEqual([
    workspace.path("mono"),
    workspace.path("copy"),
    workspace.path("tree"),
    undefined,
  ]);
});

test.each([
  ["/srv/shop/releases/1", "/srv/shop/releases/main-7", true],
  ["/srv/shop/current", "/srv/shop/releases/20261127080501-4a91c77", true],
  ["/srv/shop/v1.2.0", "/srv/shop/v1.3.0", true],
  ["/srv/shop", "/home/alice/shop", false],
  ["/srv/shop/releases/1", "/home/alice/shop/releases/1", false],
  ["/srv/main", "/srv/feature", false],
])("%s and %s are one place: %s", (first, second, isSame) => {
  const { ports } = makeWorkspace({});
  expect(isSamePlace(ports.stamps, first, second)).toBe(isSame);
});

test("a link to a checkout is that checkout", () => {
  const workspace = makeWorkspace({ "shop/svcm.yaml": "version: 1\n" });
  symlinkSync(workspace.path("shop"), workspace.path("link"));
  expect(isSamePlace(workspace.ports.stamps, workspace.path("link"), workspace.path("shop"))).toBe(true);
});
