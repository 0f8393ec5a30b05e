/** Processes that run from another checkout of this machine, which a step would replace. */
import { expect, test } from "vitest";
import { findOtherCheckouts } from "../../../src/core/rollout/started-environment.ts";

const MARKERS = new Set(["/srv/a/.git", "/srv/b/.git", "/d/releases/20261127080501-4a91c77/svcm.yaml"]);
const stamps = { read: (paths: readonly string[]) => paths.map((path) => (MARKERS.has(path) ? { id: path } : null)) };
const ports = { stamps, workspace: { root: "/srv/a" } } as never;
const NPM = "/usr/bin/npm";
const app = (script: string, cwd: string, name = "api") => ({ name, script, cwd });

test.each<[string, ReturnType<typeof app>[], ReturnType<typeof app>[], string[]]>([
  ["as declared", [app("/srv/a/api.js", "/srv/a")], [app("/srv/a/api.js", "/srv/a")], []],
  ["of another checkout", [app("/srv/a/api.js", "/srv/a")], [app("/srv/b/api.js", "/srv/b")], ["/srv/b: api"]],
  ["of another folder of this one", [app("/srv/a/api.js", "/srv/a")], [app("/srv/a/old.js", "/srv/a")], []],
  ["of no checkout", [app("/srv/a/api.js", "/srv/a")], [app("/opt/api.js", "/opt")], []],
  ["by npm, in this checkout", [app(NPM, "/srv/a")], [app(NPM, "/srv/a/web")], []],
  ["by npm, in another checkout", [app(NPM, "/srv/a")], [app(NPM, "/srv/b")], ["/srv/b: api"]],
  [
    "with its own script in the folder of another one",
    [app("/srv/a/api.js", "/srv/a")],
    [app("/srv/a/api.js", "/srv/b")],
    [],
  ],
  [
    "with the script of another one in its own folder",
    [app("/srv/a/api.js", "/srv/a")],
    [app("/srv/b/api.js", "/srv/a")],
    ["/srv/b: api"],
  ],
  ["that no file declares", [], [app("/srv/b/api.js", "/srv/b")], ["/srv/b: api"]],
  [
    "of one other checkout, together",
    [app("/srv/a/api.js", "/srv/a"), app("/srv/a/web.js", "/srv/a", "web")],
    [app("/srv/b/api.js", "/srv/b"), app("/srv/b/api.js", "/srv/b"), app("/srv/b/web.js", "/srv/b", "web")],
    ["/srv/b: api, web"],
  ],
])("an app that runs %s", (_how, expected, running, found) => {
  const conflicts = findOtherCheckouts(ports, expected, running);
  const folders = conflicts.map(({ issue }) => /from the checkout (\S+),/.exec(issue.message)?.[1]);
  expect(conflicts.map(({ apps }, at) => `${folders[at]}: ${apps.join(", ")}`)).toEqual(found);
});

const RELEASE = "/d/releases/20261127080501-4a91c77";
const released = [app(`${RELEASE}/api.js`, RELEASE)];

test("a deploy goes on from a release of a former deploy root, and a plan of the checkout says what that is", () => {
  const next = { root: "/e/releases/20261127090000-5b01d88", checkout: "/srv/a" };
  const expected = [app(`${next.root}/api.js`, next.root)];
  expect(findOtherCheckouts({ stamps, workspace: next } as never, expected, released, ["/d"])).toEqual([]);
  expect(findOtherCheckouts({ stamps, workspace: next } as never, expected, released, ["/f"])).toHaveLength(1);
  const [conflict] = findOtherCheckouts(ports, [app("/srv/a/api.js", "/srv/a")], released, ["/d"]);
  expect(conflict?.issue.message).toBe(
    `PM2 has api from the release ${RELEASE}, and a plan of the checkout /srv/a would replace it. To release this code: svcm deploy. To run it in the checkout: svcm apply --switch-checkout.`,
  );
});
