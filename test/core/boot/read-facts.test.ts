/** The facts of a machine before it is judged: PM2, its daemon, and the unit in which that runs. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { readBootFacts, readRenewalFacts, readUnreached } from "../../../src/core/boot/read-facts.ts";
import type { SavedList } from "../../../src/core/pm2/port-daemons.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { expectedOf, type Fields } from "../rollout/loaded.ts";
import { playRollout, WORKER } from "../rollout/played-rollout.ts";
import { boot, daemon, HOME, online, saved, unit } from "./facts.ts";

const caller = { limits: undefined } as never;
const defect = new TypeError("defect");
const failure = (code: string) => new SvcmError("PM2_FAILED", { code: code as never, details: "no answer" });

interface Machine {
  readonly list?: () => Promise<readonly object[]>;
  readonly lost?: readonly number[];
  readonly daemons?: readonly object[] | undefined;
  readonly files?: Readonly<Record<string, string>>;
  readonly renewal?: object;
  readonly system?: object;
  readonly refusal?: Error;
}

function machine({ list = async () => [online()], lost = [], files = {}, renewal, system = {}, ...more }: Machine) {
  const queries: unknown[] = [];
  const { refusal = new SvcmError("PM2_FAILED", { details: "no ecosystem file" }) } = more;
  const ports = {
    workspace: { pm2Home: HOME, root: "/srv" },
    processes: {
      list,
      ownProcess: () => ({ pids: [], pm2: null }),
      digest: (text: string) => text,
      lostDaemons: () => lost,
    },
    savedLists: { read: async () => saved([online({ script: "/srv/api.js" }), online({ script: null })]) },
    units: { read: async () => ({ ...boot().system, ...system }), program: () => ({ node: "/node", svcm: "/svcm" }) },
    daemons: {
      list: async () => ("daemons" in more ? more.daemons : [daemon({ isOwn: false, pid: 5 }), daemon()]),
      nodeVersion: async () => "v22.0.0",
      libraryVersion: "7.0.4",
      versionOf: async (node: string) => `version of ${node}`,
      renewal: () => renewal ?? null,
      unitThatEnds: async ({ pid }: { readonly pid: number }) => (queries.push(pid), "session-1.scope"),
    },
    processLogs: { readDaemonTraces: async () => ({ ends: [], starts: [] }) },
    stamps: { missing: (paths: readonly string[]) => (queries.push(paths), new Set(paths)) },
    files: {
      read: async (path: string) => {
        const text = files[path];
        if (text === undefined) throw new Error("ENOENT");
        return new TextEncoder().encode(text);
      },
    },
    facts: { project: () => Promise.reject(refusal), runtimeContract: () => Promise.reject(refusal) },
    releases: { recordedEnvironment: () => Promise.reject(refusal), list: async () => [] },
  };
  return { ports: ports as never, queries };
}

describe("before a reboot is judged", () => {
  test("the unit that ends the own daemon is sought, and the scripts that the saved list needs", async () => {
    const { ports, queries } = machine({});
    const facts = await readBootFacts(ports, {}, caller);
    expect(facts).toMatchObject({ endingUnit: "session-1.scope", daemon: { pid: 77 }, silence: null });
    expect(facts.missingScripts).toEqual(new Set(["/srv/api.js"]));
    expect(queries).toEqual([["/srv/api.js"], 77]);
    const none = machine({ daemons: undefined });
    expect(await readBootFacts(none.ports, {}, caller)).toMatchObject({ endingUnit: null, daemon: null });
    expect(none.queries).toEqual([["/srv/api.js"]]);
  });

  test("a declaration that cannot be read is a problem, and a defect ends the look", async () => {
    expect((await readBootFacts(machine({}).ports, {}, caller)).declared.problem).toContain("no ecosystem file");
    await expect(readBootFacts(machine({ refusal: defect }).ports, {}, caller)).rejects.toBe(defect);
  });

  test.each<[string, Machine, boolean, string | null]>([
    ["lists its processes", {}, true, null],
    ["does not run", { list: () => Promise.reject(failure("PM2_NOT_RUNNING")) }, false, null],
    ["does not answer", { list: () => Promise.reject(failure("PM2_SILENT")) }, false, "no answer"],
    ["has another daemon", { lost: [5] }, false, "5"],
  ])("a PM2 that %s", async (_what, world, isRead, silence) => {
    const facts = await readBootFacts(machine(world).ports, {}, caller);
    expect(facts.running !== null).toBe(isRead);
    if (silence === null) expect(facts.silence).toBeNull();
    else expect(facts.silence).toContain(silence);
    const defective = machine({ list: () => Promise.reject(defect) }).ports;
    await expect(readBootFacts(defective, {}, caller)).rejects.toBe(defect);
  });
});

test("only a socket that is gone is one that leads to no daemon", async () => {
  const unreached = (list: Machine["list"]) => readUnreached(machine(list === undefined ? {} : { list }).ports);
  expect(await unreached(undefined)).toBeUndefined();
  expect(await unreached(() => Promise.reject(failure("PM2_SOCKET_GONE")))).toContain("no answer");
  expect(await unreached(() => Promise.reject(failure("PM2_NOT_RUNNING")))).toBeUndefined();
  await expect(unreached(() => Promise.reject(defect))).rejects.toBe(defect);
});

test.each([
  [
    { ".nvmrc": "v22.3\n", ".node-version": "20" },
    { range: "v22.3", file: ".nvmrc" },
  ],
  [
    { ".nvmrc": "lts/*", ".node-version": "20.1.0" },
    { range: "20.1.0", file: ".node-version" },
  ],
  [
    { ".nvmrc": "lts/*", "package.json": '{"engines":{"node":">=20"}}' },
    { range: ">=20", file: "package.json" },
  ],
  [{ "package.json": '{"engines":{"node":20}}' }, null],
  [{ "package.json": '{"engines":"20"}' }, null],
  [{ "package.json": "broken" }, null],
  [{}, null],
])("the files %j want this Node.js: %j", async (files, wanted) => {
  expect((await readRenewalFacts(machine({ files: inFolder(files) }).ports, "/n")).wantedNode).toEqual(wanted);
});

const inFolder = (files: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text = ""]) => [`/srv/${name}`, text]));

test("a renewal knows its unit, its daemon, and what runs, which one that was cut off does not", async () => {
  const facts = await readRenewalFacts(machine({}).ports, "/n");
  expect(facts).toMatchObject({ node: "/n", nodeVersion: "version of /n", former: { pid: 77 }, running: [{ pid: 5 }] });
  expect(facts.unit?.name).toBe("svcm-pm2-deploy.service");
  const other = unit({ name: "other.service" });
  const standing = machine({ renewal: { unit: { name: "other.service" } }, system: { units: [unit(), other] } });
  expect(await readRenewalFacts(standing.ports, "/n")).toMatchObject({ unit: { name: "other.service" }, running: [] });
});

describe("what is declared", () => {
  const differences = async (
    apps: readonly Fields[],
    list: SavedList,
    files: readonly string[] = ["ecosystem.dev.config.cjs"],
  ) => {
    const world = playRollout();
    world.declare(apps);
    const own = machine({ list: async () => [] }).ports as unknown as Readonly<Record<string, object>>;
    const { daemons, units, processLogs, processes } = own;
    const { ecosystems, stamps } = world.ports;
    const all = {
      ...world.ports,
      daemons,
      units,
      processLogs,
      ecosystems: { ...ecosystems, list: async () => files },
      savedLists: { read: async () => list },
      processes: { ...world.ports.processes, ...processes },
      stamps: { ...stamps, missing: () => new Set() },
    };
    const request = { environment: "dev" };
    return (await readBootFacts(all as never, request, caller)).declared;
  };
  const before = (apps: readonly Fields[], more: Partial<SavedList> = {}) =>
    saved(simulateApply(expectedOf(apps)), more);

  test("is compared with the saved list, unless that lacks all of its apps", async () => {
    const found = await differences([{ args: "x" }, WORKER], before([{ args: "y" }]));
    expect(found).toMatchObject({
      problem: null,
      missing: ["worker"],
      values: [{ name: "api", keys: expect.arrayContaining(["args"]) }],
    });
    expect(found.file).not.toBeNull();
    expect((await differences([WORKER], before([{ args: "y" }]))).file).toBeNull();
  });

  test("is not compared with a list that cannot be read, or without a file", async () => {
    expect((await differences([{ args: "x" }], before([{ args: "y" }], { state: "broken" }))).file).toBeNull();
    expect(await differences([{ args: "x" }], before([{ args: "y" }]), [])).toMatchObject({
      file: null,
      problem: null,
    });
  });
});
