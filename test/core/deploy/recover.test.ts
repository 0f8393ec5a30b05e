/** A deploy that was killed is ended by the next one, before that one begins. */
import { expect, test } from "vitest";
import { recoverDeploys } from "../../../src/core/deploy/prune.ts";
import { deployCommand, toDeployRecord, type DeployEvent } from "../../../src/core/deploy/record.ts";
import { whyTried } from "../../../src/core/deploy/refusals.ts";
import type { Release } from "../../../src/core/api/rollout.ts";
import { makeWorld } from "./release-world.ts";

const at = "2026-11-27T08:05:01.000Z";
const ID = "20261127080501-4a91c77";
const head: DeployEvent = {
  event: "begin",
  id: ID,
  commit: "4a91c77".padEnd(40, "0"),
  subject: "",
  revision: "main",
  source: "",
  environment: "dev",
  spellings: [],
  by: { source: "cli" },
  at,
  checkout: "/srv",
  prefix: "",
};
const command: DeployEvent = { event: "command", name: "install", pid: 7, startTime: "1" };
const prepared: DeployEvent = { event: "prepared", at, bytes: 1, files: 1 };
const applying: DeployEvent[] = [head, prepared, { event: "apply", at }, { event: "release", release: "r1" }];
const switched: DeployEvent = { event: "switch", at };
const done: DeployEvent = { event: "end", outcome: "done", at };

async function recovered(
  events: readonly DeployEvent[],
  outcome?: Release["outcome"],
  current: string | null = null,
  runs: readonly string[] = [],
) {
  const calls: string[] = [];
  const releases: readonly unknown[] = [
    { event: "release", id: "r1", startedAt: at, steps: [], before: [], left: { apps: {} } },
    ...(outcome === undefined || outcome === "half" ? [] : [{ event: "end", outcome, at }]),
  ];
  const root = {
    layout: { releases: "/d/releases" },
    removeLeftovers: async () => undefined,
    records: async () => [toDeployRecord(events)],
    current: async () => current,
    remove: async (id: string) => void calls.push(`remove ${id === ID}`),
    switchTo: async (id: string) => void calls.push(`switch ${id === ID}`),
    forget: async () => void calls.push("forget"),
    append: async (_id: string, event: { outcome: string }) => void calls.push(`end ${event.outcome}`),
  };
  const { world } = makeWorld({ apps: [{ name: "web" }, { name: "jobs" }] });
  const context = {
    root,
    environment: "production",
    deploys: {
      endCommands: async (commands: readonly unknown[]) => void calls.push(`kill ${commands.length}`),
      world: () => ({ ...(world as object), paths: { release: `/d/releases/${ID}` } }),
    },
    ports: {
      clock: { now: () => 0 },
      processes: { list: async () => runs.map(toProcess) },
      releases: { list: async () => (outcome === undefined ? [] : [releases]), lockedSince: async () => null },
    },
    caller: {},
    notes: [],
  };
  await recoverDeploys(context as never, async () => void calls.push("begin"));
  return [
    ...calls,
    ...context.notes.map((note: string) => /prepared|first step|finished|no process|some may/.exec(note)?.[0] ?? ""),
  ];
}

/** The first one is `web`, the second one `jobs`. */
function toProcess(id: string, index: number): object {
  const folder = `/d/releases/${id}`;
  return { name: index === 0 ? "web" : "jobs", script: `${folder}/app.js`, cwd: folder };
}

test.each<[string, readonly DeployEvent[], Release["outcome"] | undefined, string | null, string[]]>([
  ["nothing was cut off", [...applying, done], "applied", ID, []],
  ["a prepared one waits", [head, prepared], undefined, null, []],
  [
    "before it was prepared",
    [head, command],
    undefined,
    null,
    ["begin", "kill 1", "remove true", "end failed", "prepared"],
  ],
  ["before its first step", applying, undefined, null, ["begin", "end reverted", "no process"]],
  ["in its steps", applying, "half", null, ["begin", "end half", "some may"]],
  ["after its revert", applying, "reverted", null, ["begin", "end reverted", "no process"]],
  ["before the switch", applying, "applied", null, ["begin", "switch true", "end done", "finished"]],
  ["in the switch", applying, "applied", ID, ["begin", "end done", "finished"]],
  [
    "after the switch, and current was taken back",
    [...applying, switched],
    "applied",
    null,
    ["begin", "end done", "finished"],
  ],
])("%s", async (_when, events, outcome, current, expected) => {
  expect(await recovered(events, outcome, current)).toEqual(expected);
});

test("of one service of several, current stays where the other one runs", async () => {
  const former = "20261127080401-1111111";
  expect(await recovered(applying, "applied", former, [ID, former])).toEqual(["begin", "end done", "finished"]);
  const whole = ["begin", "switch true", "end done", "finished"];
  expect(await recovered(applying, "applied", former, [ID, ID])).toEqual(whole);
});

test("if its apps were taken back since, it is not switched to", async () => {
  const former = "20261127080401-1111111";
  expect(await recovered(applying, "applied", former, [former])).toEqual(["begin", "end reverted", "no process"]);
  expect(await recovered(applying, "half", former, [former])).toEqual(["begin", "end reverted", "no process"]);
  const partly = await recovered(applying, "half", former, [former, ID]);
  expect(partly).toEqual(["begin", "end half", "some may"]);
});

test.each<[string, readonly DeployEvent[], string | null, string[]]>([
  ["before its first step, the current one stays", [{ event: "apply", at }], ID, ["end done", "first step"]],
  [
    "before its first step, a kept one is not switched to",
    [{ event: "apply", at }],
    null,
    ["end reverted", "first step"],
  ],
  [
    "before its switch, it is switched to again",
    [
      { event: "apply", at },
      { event: "release", release: "r1" },
    ],
    null,
    ["switch true", "end done", "finished"],
  ],
])("a release that served before is applied again: %s", async (_when, more, current, expected) => {
  const served = [...applying, switched, done];
  expect(await recovered([...served, ...more], "applied", current)).toEqual(["begin", ...expected]);
});

test("the command that deploys the same code again names a release file by its path", () => {
  const commit = "4a91c77".padEnd(40, "0");
  expect(deployCommand({ commit, source: "git@host:a" })).toBe("svcm deploy 4a91c77000");
  expect(deployCommand({ commit, source: "/tmp/shop 1.tgz", digest: commit })).toBe(
    "svcm deploy --from '/tmp/shop 1.tgz'",
  );
});

test("a timer does not deploy again what a cut-off rollback was to undo, though current leads to it", () => {
  const record = { state: "done", release: "r1" } as const;
  expect(whyTried(record, [{ undoes: "r1", outcome: "half" }], true)).toMatch(/^is being rolled back here/);
  expect(whyTried(record, [{ undoes: "r1", outcome: "applied" }], true)).toBeUndefined();
  const later = [{ outcome: "applied" }, { undoes: "r1", outcome: "half" }] as const;
  expect(whyTried(record, later, true)).toBeUndefined();
});

test.each([
  ["pruned", 1, 100, []],
  ["pruned", 1, 102, ["id1", "id0"]],
  ["failed", null, 102, ["id1", "id0"]],
  ["done", 1, 102, []],
  ["failed", 1, 102, []],
])(
  "of records that are %s (prepared: %j), %i leave %j to be forgotten",
  async (state, preparedAtMs, count, forgotten) => {
    const records = Array.from({ length: count }, (_, index) => ({
      id: `id${index}`,
      state,
      preparedAtMs,
    })).toReversed();
    const calls: string[] = [];
    const root = {
      removeLeftovers: async () => undefined,
      records: async () => records,
      forget: async (id: string) => void calls.push(id),
    };
    await recoverDeploys({ root, ports: {}, notes: [] } as never, async () => undefined);
    expect(calls).toEqual(forgotten);
  },
);
