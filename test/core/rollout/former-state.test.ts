/** The state before a release decides what a way back has to bring, and its journal what a repeated request does. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import {
  beginRelease,
  createReleaseId,
  findRecordedStep,
  findReleaseOfRollout,
  formerProbeFinder,
} from "../../../src/core/rollout/apply/recording.ts";
import type { HealthResult } from "../../../src/core/rollout/port-deployed.ts";
import type { ReleaseEvent, ReleaseHead } from "../../../src/core/rollout/release.ts";
import { record } from "../../support/process-record.ts";
import { running, STOPPED } from "./control/played-pm2.ts";
import { playRollout } from "./played-rollout.ts";

const PROBE = { kind: "http", port: 3000, path: "/health", portKey: null } as const;
const SICK: HealthResult = { state: "unhealthy", code: "HEALTH_STATUS", details: "503", pid: null };
const { declaration } = record();
const JOB = { declaration: { ...declaration, settings: { autorestart: false, cronRestart: "x" } } };

interface Scene {
  readonly failing?: ReadonlySet<number>;
  readonly probe?: HealthResult;
  readonly by?: object;
  readonly keepReleases?: number;
}

/** A release of `api` that begins with these processes. */
async function begun(list: readonly ProcessRecord[], { failing, probe, by, keepReleases = 1 }: Scene = {}) {
  const world = playRollout(list);
  const queried: string[] = [];
  const note =
    (what: string) =>
    async (...call: readonly unknown[]) =>
      void queried.push(`${what} ${call.join(" ")}`);
  Object.assign(world.ports.processes, { saveRecords: note("save") });
  Object.assign(world.ports.releases, {
    prune: (keep: number, inUse: ReadonlySet<string>) => note("prune")(keep, ...inUse),
  });
  const check = (): Promise<HealthResult> => (note("probe")(), Promise.resolve(probe ?? SICK));
  Object.assign(world.ports, { health: { check } });
  const recorder = await beginRelease(
    world.ports,
    { source: "cli", grants: ["read", "write"], ...by },
    {
      environment: "dev",
      git: null,
      plan: null,
      steps: [{ do: "update", app: "api", pmIds: [0] }],
      renamed: {},
      cannotUndo: [],
      left: { apps: {} },
      running: list,
      failing,
      probeOf: () => (probe === undefined ? undefined : PROBE),
      keepReleases,
    },
  );
  return { ...recorder, world, queried };
}

describe("before a release, a process that", () => {
  const healthy: HealthResult = { state: "healthy", pid: null };
  const node = { interpreter: "/usr/bin/node" };
  test.each<[string, Partial<ProcessRecord>, Scene, object]>([
    ["runs", {}, {}, { isStopped: false, isUndoubted: true, pid: 100, uniqueId: "u0" }],
    ["is stopped", STOPPED, {}, { isStopped: true, pid: null }],
    ["is a job between its runs", { ...JOB, ...STOPPED, lastStartAt: null }, {}, { isStopped: true }],
    ["is a job that runs", JOB, {}, { isStopped: true }],
    ["is errored", { ...STOPPED, status: "errored" }, {}, { isStopped: false, isFailing: true }],
    ["is up for the moment, as the plan knows", {}, { failing: new Set([0]) }, { isStopped: false, isFailing: true }],
    ["answers its probe", {}, { probe: healthy }, { probe: PROBE }],
    ["is a fork", node, {}, { paths: ["/srv/api.js", "/srv", "/usr/bin/node"] }],
    ["is in a cluster", { ...node, execMode: "cluster" }, {}, { paths: ["/srv/api.js", "/srv"] }],
    ["has PM2's node", {}, {}, { paths: ["/srv/api.js", "/srv"] }],
  ])("%s is recorded so", async (_what, more, scene, former) => {
    const { head, queried } = await begun([running(0, more), running(1, { name: "other" })], scene);
    expect(head.before).toHaveLength(1);
    expect(head.before[0]).toMatchObject({ name: "api", pmId: 0, ...former });
    expect(queried).toContain(`save ${head.id}/records 0`);
  });

  test.each<[string, Partial<ProcessRecord>, Scene, string]>([
    ["runs well", {}, {}, "isFailing"],
    ["does not answer", {}, { probe: SICK }, "probe"],
    ["is stopped", STOPPED, { probe: healthy }, "probe"],
    ["has a status that svcm does not know", { status: "odd" }, {}, "isUndoubted"],
  ])("%s is not recorded as more", async (_what, more, scene, member) => {
    const { head } = await begun([running(0, more)], scene);
    expect(head.before[0]).not.toHaveProperty(member);
  });

  test("is one of several instances is probed once", async () => {
    const { head, queried } = await begun([running(0, STOPPED), running(1), running(2)], { probe: healthy });
    expect(queried.filter((call) => call.startsWith("probe"))).toHaveLength(1);
    expect(head.before.map(({ probe }) => probe)).toEqual([undefined, PROBE, PROBE]);
  });
});

test("a release without processes before it keeps no records of PM2", async () => {
  expect((await begun([])).queried).toEqual([]);
});

test("a release names who began it, and the step of its fleet, if there are any", async () => {
  const step = { rollout: "r1", step: 2, confirm: async () => undefined };
  const { head } = await begun([], { by: { actor: "amy", step } });
  expect(head).toMatchObject({ actor: "amy", rollout: { id: "r1", step: 2 } });
  const { head: other } = await begun([]);
  expect([other.actor, other.rollout]).toEqual([undefined, undefined]);
  expect(Object.keys(other)).not.toContain("actor");
});

test("an end keeps the releases that the newest ones need", async () => {
  const { world, queried, end } = await begun([], { keepReleases: 2 });
  const app = (copy: string) => ({
    environment: "dev",
    service: "",
    keys: [],
    envFiles: [{ path: "/srv/.env", copy: `${copy}/env/0` }],
  });
  const head = world.head() as ReleaseHead;
  const older = (copy: string): ReleaseEvent[] => [{ ...head, left: { apps: { api: app(copy) } } }];
  world.journals.push(older("second"), older("third"));
  const release = await end("applied", { left: { apps: { api: app("now") } } });
  expect([release.outcome, queried]).toEqual(["applied", ["prune 2 now second"]]);
});

describe("a request of a fleet that comes again", () => {
  const head = { event: "release", steps: [], before: [], left: { apps: {} }, startedAt: "2026-11-22T04:41:03.000Z" };
  const journal = (id: string, step: number, outcome: string, more: object = {}) =>
    [
      { ...head, id, rollout: { id: "r1", step }, ...more },
      { event: "end", outcome, at: head.startedAt, ...(outcome === "reverted" && { code: "HEALTH_STATUS" }) },
    ] as unknown as ReleaseEvent[];
  const lists = [
    journal("e", 5, "applied", { rollout: { id: "r2", step: 1 } }),
    journal("d", 4, "applied", { undoes: "a" }),
    journal("c", 3, "reverted"),
    journal("b", 2, "half"),
    journal("a", 1, "applied"),
  ];
  const ports = (from = 0) => ({ releases: { list: async () => lists.slice(from) } }) as never;
  const step = (rollout: string, number: number) => ({ rollout, step: number, confirm: async () => undefined });

  test("finds what it did", async () => {
    expect(await findRecordedStep(ports(), undefined)).toBeUndefined();
    expect(await findRecordedStep(ports(), step("r1", 9))).toBeUndefined();
    expect(await findRecordedStep(ports(), step("r2", 4))).toBeUndefined();
    expect(await findRecordedStep(ports(), step("r1", 1))).toMatchObject({ id: "a", outcome: "applied" });
    await expect(findRecordedStep(ports(), step("r1", 2))).rejects.toMatchObject({
      kind: "APPLY_HALF",
      body: { details: "This step was already carried out: release b is half." },
    });
    await expect(findRecordedStep(ports(), step("r1", 3))).rejects.toMatchObject({
      kind: "APPLY_REVERTED",
      body: { code: "HEALTH_STATUS" },
    });
  });

  test("undoes the newest release of its rollout that has an effect", async () => {
    expect(await findReleaseOfRollout(ports(), step("r1", 9))).toBe("b");
    expect(await findReleaseOfRollout(ports(4), step("r1", 9))).toBe("a");
    expect(await findReleaseOfRollout(ports(), step("r2", 9))).toBe("e");
    const nothing = findReleaseOfRollout(ports(), step("r3", 1));
    await expect(nothing).rejects.toMatchObject({ kind: "NOTHING_TO_ROLL_BACK" });
  });
});

test("an app is probed as it was, or at the port that its process has", () => {
  const app = { environment: "dev", service: "", keys: [], envFiles: [], probe: PROBE };
  const probeOf = formerProbeFinder({ apps: { restapi: app } }, () => ({}));
  const of = (name: string, httpPort: number | null) => probeOf(record({ name, httpPort }));
  expect(of("restapi", 4000)).toEqual(PROBE);
  expect(of("other-restapi", 4000)).toMatchObject({ port: 4000 });
  expect([of("other-restapi", null), of("worker", 4000)]).toEqual([undefined, undefined]);
});

test("a release sorts after the one before, also if the clock was set back", () => {
  const at = "2026-11-22T04:41:03.184Z";
  expect(createReleaseId(at, "9f")).toBe("20261122-044103-0b89");
  expect(createReleaseId(at, "9f", "20261122-044103-0b81")).toBe("20261122-044103-0b89");
  expect(createReleaseId(at, "9f", "20261122-055959-3e7f")).toBe("20261122-060000-0009");
  expect(createReleaseId(at, "9f", "99999999-elsewhere")).toBe("20261122-044103-0b89");
});
