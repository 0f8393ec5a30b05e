/** Deploys as a rollout knows them: the link `current`, its moves, and records that a rollback ends. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeDeployed } from "../../../src/core/deploy/deployed.node.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const [ID, OTHER] = ["20261127080501-4a91c77", "20261127080502-5b02d88"];
const AT = "2026-11-27T08:05:01.000Z";
const DEPLOY = { root: "own", keep: 2, shared: [], left: [] };

interface Scene {
  /** The declaration of `svcm.yaml`; an error if it cannot be read. */
  readonly project?: object | Error;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly records?: readonly { readonly id: string; readonly state: string }[];
}

function play({ project, from = null, to = null, records = [] }: Scene = {}) {
  const top = temporaryFolder();
  const [root, pm2Home] = [join(top, "app"), join(top, "pm2")];
  const calls: string[] = [];
  let loads = 0;
  const call =
    (name: string, answer?: unknown) =>
    async (...args: readonly unknown[]) => {
      calls.push([name, ...args.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))].join(" "));
      return answer;
    };
  const open = (folder: string) => ({
    layout: layoutOf(folder),
    current: call(`current of ${folder}`, ID),
    foreign: call(`foreign of ${folder}`, { folder: "releases/1", commit: null }),
    planSwitch: async () => ({ from, to }),
    switchTo: call("switch"),
    records: async () => records,
    append: call("append"),
    changedFiles: call("changed", ["a.js"]),
    lockedSince: async () => null,
    requireOwn: async () => undefined,
    withLock: async (_ms: number, work: () => Promise<unknown>) => await work(),
  });
  const facts = {
    project: async () => {
      if (project instanceof Error) throw project;
      return project;
    },
  };
  const deploys = async () => ((loads += 1), { open });
  const deployed = nodeDeployed({ root, pm2Home }, { facts, deploys } as never);
  const make = (folder: string, ...names: readonly string[]) => {
    mkdirSync(join(top, folder), { recursive: true });
    for (const name of names)
      if (name === "current") symlinkSync("releases/gone", join(top, folder, name));
      else mkdirSync(join(top, folder, name));
  };
  return { deployed, calls, loads: () => loads, make, root, pm2Home };
}

test("without a deploy, nothing of deploys is loaded, and the checkout is what should run", async () => {
  const { deployed, loads, root, pm2Home } = play();
  expect([await deployed.world({}), await deployed.foreign(), await deployed.issues({}, undefined, [])]).toEqual([
    undefined,
    null,
    [],
  ]);
  expect(await deployed.link({})).toBe(`${deployed.defaultRoot("")}/current`);
  expect(deployed.defaultRoot("").startsWith(join(pm2Home, "svcm"))).toBe(true);
  expect(deployed.defaultRoot("")).toMatch(/\/deploy$/);
  expect(deployed.defaultRoot("web")).toMatch(/\/deploy-web$/);
  expect([loads(), root.endsWith("app")]).toEqual([0, true]);
});

test("with a link, also one that leads nowhere, the records decide", async () => {
  const half = {
    id: ID,
    spellings: ["prod"],
    state: "half",
    commit: ID,
    release: "r1",
    hasBegun: true,
    source: "origin",
  };
  const { deployed, calls, make } = play({ project: { deploy: DEPLOY }, records: [half] });
  make("app/own", "current", "records");
  expect(await deployed.foreign()).toEqual({ folder: "releases/1", commit: null });
  expect(calls[0]).toMatch(/^foreign of .*\/app\/own$/);
  expect(await deployed.world({ environment: "dev" })).toBeUndefined();
  expect(calls[1]).toMatch(/^current of .*\/app\/own$/);
  expect(await deployed.issues({}, undefined, [])).toMatchObject([
    { message: expect.stringContaining("svcm rollback r1") },
  ]);
});

test("a service that does not exist is reported by the command, and another error is passed on", async () => {
  expect(await play({ project: { services: {} } }).deployed.link({ service: "web" })).toBeUndefined();
  await expect(play({ project: new TypeError("defect") }).deployed.link({})).rejects.toThrow("defect");
});

test.each<[string, string | null, string | null, string | null, boolean]>([
  ["another release", `releases/${OTHER}`, `releases/${ID}`, ID, true],
  ["the same one", `releases/${ID}`, `releases/${ID}`, ID, false],
  ["the same one, by another path", `/d/releases/${ID}`, `releases/${ID}`, ID, false],
  ["what it was before svcm", `releases/${ID}`, "releases/1", null, true],
  ["what it is and was before svcm", "releases/1", "releases/1", null, false],
  ["nothing, and there is no link", null, null, null, false],
])("a move of current to %s", async (_what, from, to, id, isMove) => {
  const { deployed } = play({ from, to });
  const move = isMove ? { path: "/d/current", from, to } : undefined;
  expect(await deployed.planSwitch({ id, root: "/d" })).toEqual(move);
});

test.each([
  ["applying", true],
  ["half", true],
  ["done", false],
  ["prepared", false],
])("a deploy that is %s and undone gets an end: %s", async (state, isEnded) => {
  const { deployed, calls } = play({
    records: [
      { id: OTHER, state: "half" },
      { id: ID, state },
    ],
  });
  await deployed.endUndone({ former: ID, root: "/d" }, AT);
  const end = { event: "end", outcome: "reverted", at: AT, reason: "it was not finished, and undone" };
  expect(calls).toEqual(isEnded ? [`append ${ID} ${JSON.stringify(end)}`] : []);
});

test("a deploy without a record is not ended, and the rest is done by its root", async () => {
  const { deployed, calls } = play();
  await deployed.endUndone({ former: null, root: "/d" }, AT);
  await deployed.switchTo({ id: ID, root: "/d" });
  expect(await deployed.changedFiles({ id: ID, root: "/d" })).toEqual(["a.js"]);
  expect(await deployed.current("/d")).toBe(ID);
  expect(await deployed.withLock("/d", 1, async () => "done")).toBe("done");
  expect(calls).toEqual([`switch ${ID}`, `changed ${ID}`, "current of /d"]);
});
