import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { decidePrune, outcomeAfterKill } from "../../../src/core/deploy/prune.ts";
import { chooseSource } from "../../../src/core/deploy/find-commit.ts";
import { createDeployId, deployOfLink, deployOfPath } from "../../../src/core/deploy/layout.ts";
import { mapLoaded, requireInside } from "../../../src/core/deploy/map-paths.ts";
import {
  toDeployRecord,
  type DeployEvent,
  type DeployRecord,
  chooseDeploy,
  toDeploy,
  servicesOf,
} from "../../../src/core/deploy/record.ts";
import { whyTried } from "../../../src/core/deploy/refusals.ts";
import type { LoadedApp, LoadedEcosystem } from "../../../src/core/pm2/loaded.ts";
import { filterUndecided, runningIn } from "../../../src/core/deploy/find-code.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { SHARED_PATH } from "../../../src/core/project/deploy-settings.ts";

const COMMIT = "4a91c7700000000000000000000000000000abcd";
const head: DeployEvent = {
  event: "begin",
  id: "20261127080501-4a91c77",
  commit: COMMIT,
  subject: "faster search",
  revision: "main",
  source: "/srv/origin.git",
  environment: "production",
  spellings: ["production"],
  by: { source: "cli" },
  at: "2026-11-27T08:05:01.000Z",
  checkout: "/srv/app",
  prefix: "",
};
const at = "2026-11-27T08:06:00.000Z";
const prepared = { event: "prepared", at, bytes: 1, files: 2 } as const;
const apply = { event: "apply", at } as const;
const end = (outcome: "done" | "half"): DeployEvent => ({ event: "end", outcome, at });

test.each<[string, readonly DeployEvent[]]>([
  ["preparing", [head]],
  ["preparing", [head, { event: "command", name: "install", pid: 1, startTime: "2" }]],
  ["prepared", [head, prepared]],
  ["applying", [head, prepared, apply, { event: "release", release: "r" }, { event: "switch", at }]],
  ["done", [head, prepared, apply, end("done")]],
  ["applying", [head, prepared, apply, end("done"), apply]],
  ["half", [head, prepared, apply, end("half")]],
  ["pruned", [head, prepared, apply, end("done"), { event: "pruned", at }]],
])("the state is %s after the last event that changes it", (state, events) => {
  expect(toDeployRecord(events)?.state).toBe(state);
});

test("a journal without its first line has no record", () => expect(toDeployRecord([prepared])).toBeUndefined());

describe("pruning", () => {
  const record = (number: number, state: DeployRecord["state"]): DeployRecord => ({
    ...toDeployRecord([head, ...(state === "preparing" ? [] : [prepared])])!,
    id: String(number),
    state,
  });
  const all = [record(6, "done"), record(5, "reverted"), record(4, "done"), record(3, "done"), record(2, "pruned")];
  test.each<[string, string | null, string[], string[]]>([
    ["keeps the newest that served, and lets others go", "6", [], ["5", "3"]],
    ["never what is current", "3", [], ["5"]],
    ["never what is in use", "6", ["5", "3"], []],
  ])("%s", (_what, current, inUse, expected) => {
    expect(decidePrune({ records: all, keep: 2, current, inUse: new Set(inUse) })).toEqual(expected);
  });
  test("leaves a release alone that is being prepared", () => {
    expect(decidePrune({ records: [record(1, "preparing")], keep: 2, current: null, inUse: new Set() })).toEqual([]);
  });
});

test("ids of one second differ, and only names of svcm are its own", () => {
  const first = createDeployId(Date.parse("2026-11-27T08:05:01.500Z"), COMMIT, new Set());
  expect(first).toBe("20261127080501-4a91c77");
  expect(createDeployId(Date.parse("2026-11-27T08:05:01.500Z"), COMMIT, new Set([first]))).toBe(
    "20261127080502-4a91c77",
  );
  const ahead = new Set(["20261127090059-0000000", first]);
  expect(createDeployId(Date.parse("2026-11-27T08:30:00.000Z"), COMMIT, ahead)).toBe("20261127090100-4a91c77");
  expect([deployOfLink(`releases/${first}`), deployOfLink("releases/20261127080501"), deployOfLink(null)]).toEqual([
    first,
    null,
    null,
  ]);
  const layout = { releases: "/d/releases" };
  expect([deployOfPath(layout, `/d/releases/${first}/app.js`), deployOfPath(layout, "/d/releases-old/x")]).toEqual([
    first,
    undefined,
  ]);
});

test.each([
  [undefined, "reverted"],
  ["refused", "reverted"],
  ["reverted", "reverted"],
  ["applied", "done"],
  ["unchanged", "done"],
  ["half", "half"],
  ["running", "half"],
] as const)("after a kill, an apply that was %s makes the deploy %s", (outcome, expected) => {
  expect(outcomeAfterKill(outcome)).toBe(expected);
});

test.each([
  ["uploads", true],
  [".env.production", true],
  ["var/uploads/", true],
  ["../uploads", false],
  ["a/../../b", false],
  ["/etc", false],
  ["node_modules", false],
  ["packages/api/node_modules", false],
  [".git/hooks", false],
  [".", false],
  ["", false],
])("the shared path %j is accepted: %s", (path, isAccepted) => expect(SHARED_PATH.test(path)).toBe(isAccepted));

describe("the source", () => {
  const checkout = { top: "/srv/app", prefix: "", upstream: undefined, settings: [] };
  const choose = (urls: readonly (readonly [string, string])[], declared?: string) => {
    const { kind, url } = chooseSource({ ...checkout, urls: new Map(urls) }, declared, "/srv/app");
    return [kind, url];
  };
  test.each([
    [
      "origin",
      [
        ["origin", "git@host:a.git"],
        ["fork", "x"],
      ],
      undefined,
      ["remote", "git@host:a.git"],
    ],
    ["the only remote", [["hub", "https://host/a"]], undefined, ["remote", "https://host/a"]],
    ["a remote with a relative path", [["origin", "../a.git"]], undefined, ["remote", "/srv/a.git"]],
    ["no remote", [], undefined, ["path", "/srv/app"]],
    ["a declared path", [["origin", "x"]], "../mirror.git", ["path", "/srv/mirror.git"]],
    ["a declared URL", [["origin", "x"]], "https://host/b", ["url", "https://host/b"]],
  ] as const)("is %s", (_what, urls, declared, expected) => expect(choose(urls, declared)).toEqual(expected));
  test.each([
    [
      "several remotes without origin",
      [
        ["a", "x"],
        ["b", "y"],
      ],
      undefined,
    ],
    ["a program", [], "ext::sh -c touch% x"],
  ] as const)("is refused for %s", (_what, urls, declared) => expect(() => choose(urls, declared)).toThrow(SvcmError));
});

describe("paths of an ecosystem file", () => {
  const map = { from: ["/srv/app", "/d/current"], release: "/d/releases/1", shared: "/d/shared" };
  const app = (fields: LoadedApp["fields"], places: Partial<LoadedApp["places"]> = {}): LoadedEcosystem => ({
    path: "/d/releases/1/ecosystem.config.cjs",
    realPath: "/d/releases/1/ecosystem.config.cjs",
    found: "apps",
    isDefaultExport: false,
    files: [],
    withheld: [],
    apps: [
      {
        fields: { name: "web", ...fields },
        keys: [],
        unset: [],
        places: {
          folder: "/d/releases/1",
          cwd: "/d/releases/1",
          hasCwd: true,
          script: "/d/releases/1/app.js",
          hasScript: true,
          interpreter: "node",
          envFiles: [],
          ...places,
        },
      },
    ],
  });
  test.each([
    ["script", "/srv/app/app.js", "/d/releases/1/app.js"],
    ["cwd", "/d/current", "/d/releases/1"],
    ["script", "/srv/app-old/app.js", "/srv/app-old/app.js"],
    [
      "node_args",
      "--env-file=/srv/app/.env --require /d/current/a.js",
      "--env-file=/d/releases/1/.env --require /d/releases/1/a.js",
    ],
    ["args", ["/srv/app/x"], ["/d/releases/1/x"]],
    ["out_file", "./logs/web.log", "/d/shared/logs/web.log"],
    ["error_file", "/srv/app/logs/web.log", "/d/shared/logs/web.log"],
    ["pid_file", "web.pid", "/d/shared/web.pid"],
    ["out_file", "/var/log/web.log", "/var/log/web.log"],
    ["out_file", "../web.log", "../web.log"],
    ["out_file", "/dev/null", "/dev/null"],
    ["error_file", "NULL", "NULL"],
    ["name", "/srv/app/web", "/srv/app/web"],
  ])("%s %j becomes %j", (field, value, expected) => {
    expect(mapLoaded(app({ [field]: value }), map).apps[0]?.fields[field]).toEqual(expected);
  });
  test("values of variables stay", () => {
    const env = { HOME_OF_APP: "/srv/app/data" };
    expect(mapLoaded(app({ env }), map).apps[0]?.fields["env"]).toEqual(env);
  });
  test("a release below the checkout keeps its own paths", () => {
    const below = { ...map, from: ["/srv/app"], release: "/srv/app/.deploy/releases/1" };
    const script = "/srv/app/.deploy/releases/1/app.js";
    expect(mapLoaded(app({ script }), below).apps[0]?.fields["script"]).toBe(script);
  });
  const inside = { programFolders: ["/usr/bin"], release: "/d/releases/1" };
  test.each<[string, Partial<LoadedApp["places"]>, boolean]>([
    ["inside", {}, true],
    ["a program of the PATH", { script: "/usr/bin/npm" }, true],
    ["a script elsewhere", { script: "/srv/other/app.js" }, false],
    ["a folder elsewhere", { cwd: "/srv/other" }, false],
    ["a folder whose name only begins so", { cwd: "/d/releases/10" }, false],
  ])("%s", (_what, places, isAccepted) => {
    const check = (): void => requireInside(app({}, places), inside);
    if (isAccepted) check();
    else
      expect(check).toThrow(
        expect.objectContaining({ body: expect.objectContaining({ code: "DEPLOY_PATH_OUTSIDE" }) }),
      );
  });
});

test("packages, caches, logs, and files that are shared or left are decided; all others are not", () => {
  const paths = [
    "node_modules/",
    "packages/api/node_modules/",
    ".svcm/",
    ".eslintcache",
    "logs/",
    "web.log",
    "web.pid",
    "uploads/",
    "uploads-old/",
    "data/app.sqlite",
    "data/app.sqlite-wal",
    "notes.txt",
    ".env",
  ];
  const answered = { shared: ["uploads", "data/app.sqlite"], left: ["notes.txt"] };
  expect(filterUndecided(paths, answered)).toEqual(["uploads-old/", "data/app.sqlite-wal", ".env"]);
});

test("apps of the checkout run in it or run its script, unless that is a release", () => {
  const layout = { releases: "/srv/app/.deploy/releases" };
  const realPath = (path: string): string => path.replace(/^\/link/, "/srv/app");
  const release = `${layout.releases}/20261127080501-4a91c77`;
  const processes = [
    runningRecord({ name: "cwd", cwd: "/srv/app", script: "/usr/bin/node" }),
    runningRecord({ name: "script", cwd: "/", script: "/srv/app/server.js" }),
    runningRecord({ name: "neighbour", cwd: "/srv/app-old", script: "/srv/app-old/server.js" }),
    runningRecord({ name: "link", cwd: "/link", script: "/usr/bin/node" }),
    runningRecord({ name: "release", cwd: release, script: `${release}/server.js` }),
  ];
  expect(runningIn(processes, { top: "/srv/app", layout, realPath })).toEqual(["cwd", "script", "link"]);
});

test("the last deploy of an archive has its digest, and that of a commit lacks one", () => {
  const record = toDeployRecord([head, prepared]);
  expect.assert(record);
  const digest = "d".repeat(64);
  expect(toDeploy({ ...record, digest }, record.id)).toMatchObject({ digest, current: true, state: "prepared" });
  expect(toDeploy(record, null)).toMatchObject({ commit: COMMIT, current: false });
  expect(toDeploy(record, null)).not.toHaveProperty("digest");
});

test.each([
  ["reverted", "r1", [], "failed here"],
  ["half", "r1", [], "failed here"],
  ["failed", "r1", [], "failed here"],
  ["failed", null, [], undefined],
  ["prepared", null, [], undefined],
  ["done", "r1", [{ undoes: "r1", outcome: "applied" }], "was rolled back here"],
  ["done", "r1", [{ undoes: "r1", outcome: "reverted" }], undefined],
  ["done", "r1", [{ undoes: "r0", outcome: "applied" }], undefined],
] as const)("of a timer, a commit that was %s (%s) is left alone: %j %s", (state, release, releases, why) => {
  expect(whyTried({ state, release }, releases, false)).toBe(why);
});

test.each<[string, readonly string[], string | undefined, string, readonly string[]]>([
  ["no service has its own", [], undefined, "", ["api", "mail", "web"]],
  ["no service has its own, and one is named", [], "api", "", ["api", "mail", "web"]],
  ["the named one has its own", ["mail"], "mail", "mail", ["mail"]],
  ["another one has its own", ["mail"], "api", "", ["api", "web"]],
])("the root of a deploy, and the services of a release in it: %s", (_what, own, named, owner, services) => {
  const service = (name: string) => ({ folder: name, ...(own.includes(name) && { deploy: { root: `/d/${name}` } }) });
  const project = {
    deploy: { root: "/d" },
    services: { api: service("api"), mail: service("mail"), web: service("web") },
  } as never;
  const chosen = chooseDeploy(project, named);
  expect(chosen).toMatchObject({ owner, settings: { root: owner === "" ? "/d" : `/d/${owner}` } });
  expect(servicesOf(project, chosen).map(({ name }) => name)).toEqual(services);
});
