import { renderRelease } from "../../../src/commands/terminal/release.ts";
import { describe, expect, test } from "vitest";
import { withProgress, type ApplyProgress } from "../../../src/core/rollout/apply/recording.ts";
import {
  findAppliedState,
  releasesInUse,
  toJournals,
  withoutLogs,
  type ReleaseEvent,
  type ReleaseHead,
} from "../../../src/core/rollout/release.ts";
import type { Release } from "../../../src/core/api/rollout.ts";
import { listReleases, type Releases } from "../../../src/core/rollout/ports.ts";

const STARTED = "2026-11-22T04:41:03.000Z";
const at = STARTED;

function head(id: string, more: Partial<ReleaseHead> = {}): ReleaseHead {
  return {
    event: "release",
    id,
    plan: "7f3a-9c21",
    environment: "dev",
    startedAt: STARTED,
    source: "cli",
    git: null,
    steps: [
      { do: "update", app: "api", pmIds: [0] },
      { do: "save", app: "", pmIds: [] },
    ],
    before: [],
    left: { apps: {} },
    ...more,
  };
}

const started: ReleaseEvent = { event: "step", step: 0, phase: "begun", at };
const done: ReleaseEvent = { event: "step", step: 0, phase: "done", at };
const failed: ReleaseEvent = { event: "step", step: 0, phase: "failed", at, reason: "It ended." };
const returned: ReleaseEvent = { event: "return", app: "api", at };
const end = (outcome: "applied" | "reverted"): ReleaseEvent => ({ event: "end", outcome, at });

/** The successive states of a lock. */
function kept(journals: ReleaseEvent[][], ...held: (number | null)[]) {
  return listReleases({
    list: () => Promise.resolve(journals),
    lockedSince: () => Promise.resolve(held.shift() ?? null),
  });
}

const taken = Date.parse(STARTED) - 1;

describe("a release without an end", () => {
  test("is running while its lock is held, and its step is in progress", async () => {
    const [newest] = await kept([[head("b"), started]], taken);
    expect(newest).toMatchObject({
      outcome: "running",
      endedAt: null,
      steps: [{ phase: "begun" }, { phase: "not-begun" }],
    });
  });

  test("is running if it began between the check of the lock and the list", async () => {
    expect((await kept([[head("b"), started]], null, taken))[0]?.outcome).toBe("running");
  });

  test.each([
    ["the lock is free", [[head("b"), started]], null],
    ["the lock was taken after its beginning", [[head("b"), started]], Date.parse(STARTED) + 1],
    [
      "a later release exists",
      [
        [head("c"), started, end("applied")],
        [head("b"), started],
      ],
      taken,
    ],
  ])("is half done if %s", async (_why, journals, since) => {
    const release = (await kept(journals, since, since)).at(-1);
    expect(release).toMatchObject({
      id: "b",
      outcome: "half",
      steps: [{ phase: "failed", reason: "svcm ended before it saw the result." }, {}],
    });
  });
});

describe("a release that was cut off after its last step", () => {
  const saved: ReleaseEvent = { event: "step", step: 1, phase: "done", at };
  const steps = [started, { ...done, pmIds: [4] }, saved];

  test("is applied, without a last look at its apps", async () => {
    const [release] = await kept([[head("b"), ...steps]]);
    const [doubt] = release?.unknown ?? [];
    expect([release?.outcome, release?.endedAt, release?.unknown?.length]).toEqual(["applied", at, 1]);
    expect(doubt).toMatchObject({ app: "api", pmIds: [4], part: "state" });
  });

  test("is running while its lock is held, and half done if it is a rollback, which does more", async () => {
    expect((await kept([[head("b"), ...steps]], taken))[0]?.outcome).toBe("running");
    expect((await kept([[head("b", { undoes: "a" }), ...steps]]))[0]?.outcome).toBe("half");
  });

  test("is half done if a step was left", async () => {
    expect((await kept([[head("b"), started, done]]))[0]).toMatchObject({ outcome: "half", endedAt: null });
  });

  test("has left what it recorded", () => {
    const api = { environment: "production", service: "", keys: ["MODE"], envFiles: [] };
    const left: ReleaseEvent = { event: "left", left: { apps: { api } } };
    expect(findAppliedState(toJournals([[head("b"), ...steps, left]]))).toEqual({ apps: { api } });
  });
});

describe("the record of a release", () => {
  const doneAt = new Date(Date.parse(at) + 1500).toISOString();

  test("has the time of each step, the processes that it started, and what a rollback cannot bring back", async () => {
    const cannotUndo = ["api", "web"].map((app) => ({ app, what: "code" as const }));
    const [release] = await kept([
      [head("b", { cannotUndo }), started, { ...done, at: doneAt, pmIds: [4, 5] }, end("applied")],
    ]);
    expect(release).toMatchObject({
      steps: [{ pmIds: [4, 5], durationMs: 1500 }, { pmIds: [] }],
      cannotUndo,
    });
    expect(renderRelease(release!)).toContain("  A rollback cannot bring back the replaced code of api, web.");
    expect(release?.steps[1]).not.toHaveProperty("durationMs");
  });

  test("of an older svcm, or with a clock that was set back, has no negative time", async () => {
    const [release] = await kept([[head("b"), { ...started, at: doneAt }, done, end("applied")]]);
    expect(release).toMatchObject({ steps: [{ pmIds: [0], durationMs: 0 }, {}], cannotUndo: [] });
  });
});

describe("the progress of a release", () => {
  async function progressOf(...events: ReleaseEvent[]): Promise<ApplyProgress[]> {
    const lines: string[] = [];
    const received: ApplyProgress[] = [];
    const add = async (id: string, event: ReleaseEvent) => void lines.push(`${id} ${event.event}`);
    const releases = withProgress({ create: add, append: add } as unknown as Releases, (progress) =>
      received.push(progress),
    );
    await releases.create("b", head("b"));
    for (const event of events) await releases.append("b", event);
    expect(lines).toHaveLength(events.length + 1);
    return received;
  }

  test("names the step and its phase, and ends with the outcome", async () => {
    const about = { release: "b", step: 1, of: 2, do: "update", app: "api" };
    expect(await progressOf(started, done, end("applied"))).toEqual([
      { ...about, phase: "begun" },
      { ...about, phase: "done" },
      { ...about, phase: "done", outcome: "applied" },
    ]);
  });

  test("has the reason for a failure, and the revert of the app", async () => {
    expect(await progressOf(started, failed, returned, end("reverted"))).toMatchObject([
      { phase: "begun" },
      { phase: "failed", reason: "It ended." },
      { phase: "reverted", reason: "It ended." },
      { phase: "reverted", reason: "It ended.", outcome: "reverted" },
    ]);
  });
});

test("a rollback reports each phase of a step once", async () => {
  const phases: string[] = [];
  const nothing = async (): Promise<void> => undefined;
  const releases = withProgress({ create: nothing, append: nothing } as unknown as Releases, ({ phase }) =>
    phases.push(phase),
  );
  await releases.create("b", { ...head("b"), steps: [{ do: "return", app: "api", pmIds: [0] }] });
  for (const event of [started, returned, done]) await releases.append("b", event);
  expect(phases).toEqual(["begun", "done"]);
});

describe("PM2's list for the next boot is older than the last change", () => {
  const saved: ReleaseEvent = { event: "step", step: 1, phase: "done", at };
  const ended = (outcome: "applied" | "reverted" | "half" | "refused"): ReleaseEvent => ({ event: "end", outcome, at });
  const unsaved = (...lists: ReleaseEvent[][]): number | undefined => findAppliedState(toJournals(lists)).unsavedAtMs;
  const changed = Date.parse(at);

  test.each<[string, ReleaseEvent[][], number | undefined]>([
    ["an apply was killed in a step", [[head("b"), started]], changed],
    ["an apply was killed between its last step and the save", [[head("b"), started, done]], changed],
    ["an apply is half done", [[head("b"), started, failed, ended("half")]], changed],
    [
      "a refused apply follows it",
      [
        [head("c"), ended("refused")],
        [head("b"), started, done],
      ],
      changed,
    ],
  ])("if %s", (_what, lists, expected) => {
    expect(unsaved(...lists)).toBe(expected);
  });

  test.each<[string, ReleaseEvent[][]]>([
    ["the list was saved", [[head("b"), started, done, saved]]],
    ["everything runs as before", [[head("b"), started, failed, returned, ended("reverted")]]],
    ["its first step was refused", [[head("b"), started, failed, ended("refused")]]],
    [
      "a later apply saved it",
      [
        [head("c"), started, done, saved, ended("applied")],
        [head("b"), started],
      ],
    ],
    [
      "a later rollback saved it",
      [
        [head("c", { undoes: "b" }), started, done, ended("applied")],
        [head("b"), started],
      ],
    ],
    ["no step began", [[head("b")]]],
    ["there is no release", []],
  ])("but not if %s", (_what, lists) => {
    expect(unsaved(...lists)).toBeUndefined();
  });
});

test("the releases in use do not grow with the number of releases, although each needs the one before", () => {
  const copy = (release: string) => ({ path: "/srv/.env", copy: `${release}/env/0` });
  const left = (release: string) => ({
    apps: { api: { environment: "dev", service: "", keys: [], envFiles: [copy(release)] } },
  });
  const journals = toJournals(
    Array.from({ length: 30 }, (_, index) => [head(`r${30 - index}`, { left: left(`r${29 - index}`) })]),
  );
  expect([...releasesInUse(journals.slice(0, 2), left("r30"))]).toEqual(["r30", "r29", "r28"]);
});

test.each([
  [["read", "logs"], undefined, 1],
  [["read", "logs"], { environments: ["dev"] }, 1],
  [["read", "logs"], { environments: ["production"] }, 0],
  [["read", "logs"], { services: ["orders"] }, 0],
  [["read"], undefined, 0],
] as const)(
  "a caller with %j and the limits %j sees %i line of the log of a failed release",
  (grants, limits, count) => {
    const failure = { app: "api", reason: "It ended.", errorLines: ["Error: x"] };
    const release = { environment: "dev", failure } as unknown as Release;
    expect(withoutLogs(release, { grants, ...(limits && { limits }) }).failure).toEqual({
      ...failure,
      errorLines: failure.errorLines.slice(0, count),
    });
  },
);
