/** Of an app that a release touched: which of its processes do not run as before it? */
import { describe, expect, test } from "vitest";
import type { SvcmError } from "../../../src/core/api/errors.ts";
import { beginningOf, findRelease, planRollback } from "../../../src/core/rollout/apply/rollback-plan.ts";
import { requireUnchanged } from "../../../src/core/rollout/operations/rollback.ts";
import { definitionText } from "../../../src/core/rollout/plan.ts";
import {
  toJournals,
  type FormerProcess,
  type ReleaseEvent,
  type ReleaseHead,
} from "../../../src/core/rollout/release.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { countingPorts } from "../../support/counting-ports.ts";
import { record } from "../../support/process-record.ts";

const at = "2026-11-22T04:41:03.000Z";
const up = (pmId: number, more: Partial<ProcessRecord> = {}): ProcessRecord =>
  record({ pmId, uniqueId: `u${pmId}`, pid: 100 + pmId, status: "online", startedAt: 1, ...more });
const cluster = { execMode: "cluster" } as const;
const stopped = { status: "stopped", pid: null, startedAt: null };

function formerOf(one: ProcessRecord): FormerProcess {
  const { name, pmId, uniqueId, pid } = one;
  return { name, pmId, uniqueId, pid, isStopped: one.status === "stopped", definition: definitionText(one) };
}

async function planOf(
  before: readonly ProcessRecord[],
  now: readonly ProcessRecord[],
  { isPinned = false, left = { apps: {} } }: { readonly isPinned?: boolean; readonly left?: ReleaseHead["left"] } = {},
) {
  const head: ReleaseHead = {
    event: "release",
    id: "20261122-044103-b8f9",
    plan: "7f3a-9c21",
    environment: "dev",
    startedAt: at,
    source: "cli",
    git: null,
    steps: [{ do: "update", app: "api", pmIds: [0] }],
    before: before.map(formerOf),
    left,
  };
  const events: ReleaseEvent[] = [head, { event: "end", outcome: "applied", at }];
  const { ports } = countingPorts();
  const { plan } = await planRollback(
    {
      ...ports,
      facts: { ...ports.facts, project: async () => undefined },
      releases: {
        ...ports.releases,
        list: async () => [events],
        changedEnvFiles: async () => new Map(isPinned ? [["/srv/.env", "copy"]] : []),
      },
      processes: {
        ...ports.processes,
        withHomeKey: async () => ({ list: async () => [...now], digest: (text: string) => text }),
      },
      revisions: { ...ports.revisions, readState: async () => undefined },
    },
    {},
  );
  return plan;
}

async function stepOf(before: readonly ProcessRecord[], now: readonly ProcessRecord[], isPinned = false) {
  const plan = await planOf(before, now, { isPinned });
  const [step] = plan.steps;
  return `${plan.changed ? "changes" : "leaves"} ${step?.pmIds.join(" ")} ${step?.disruption}`.replace("  ", " ");
}

const readBy = (pids?: readonly number[]) => {
  const app = { environment: "dev", service: "", keys: [], envFiles: [{ path: "/srv/.env", copy: "a/env/0" }] };
  return { apps: { api: { ...app, ...(pids && { readBy: pids }) } } };
};

test.each([
  ["by an svcm that did not record who had read them", [up(0)], undefined, true],
  ["before another start of the process", [up(0)], [99], true],
  ["of the process", [up(0)], [100], undefined],
  ["while it was stopped", [up(0, stopped)], undefined, undefined],
])("copies of env files %s: may differ %s", async (_when, before, pids, mayDiffer) => {
  const { steps } = await planOf(before, [up(0, { cwd: "/new" })], { left: readBy(pids) });
  expect(steps[0]?.mayDiffer).toBe(mayDiffer);
});

test.each<[string, ProcessRecord[], ProcessRecord[], string]>([
  ["as before", [up(0)], [up(0)], "leaves none"],
  ["restarted since", [up(0)], [up(0, { pid: 999, restartCount: 3 })], "leaves none"],
  ["with another definition", [up(0)], [up(0, { cwd: "/new" })], "changes 0 gap"],
  ["a new process of that number", [up(0)], [up(0, { uniqueId: "other" })], "changes 0 gap"],
  ["stopped since", [up(0)], [up(0, stopped)], "changes 0 none"],
  ["started since", [up(0, stopped)], [up(0)], "changes 0 down"],
  ["stopped before and now", [up(0, stopped)], [up(0, stopped)], "leaves none"],
  ["one of two", [up(0), up(1)], [up(0), up(1, { cwd: "/new" })], "changes 1 partial"],
  ["a cluster", [up(0, cluster)], [up(0, { ...cluster, cwd: "/new" })], "changes 0 none"],
  ["a new app", [], [up(0)], "changes 0 down"],
  ["removed since", [up(0)], [], "changes none"],
  ["with one instance more", [up(0)], [up(0), up(1)], "changes 1 partial"],
  ["with one instance less", [up(0), up(1)], [up(0)], "changes none"],
  [
    "although it was stopped, with another definition",
    [up(0, stopped)],
    [up(0, { script: "/srv/new.js" })],
    "changes 0 down",
  ],
])("an app that runs %s", async (_what, before, now, expected) => {
  expect(await stepOf(before, now)).toBe(expected);
});

test("with former env files, each process that was started since returns", async () => {
  const now = [up(0), up(1, { pid: 999 })];
  expect(await stepOf([up(0), up(1)], now, true)).toBe("changes 1 partial");
  expect(await stepOf([up(0), up(1)], now, false)).toBe("leaves none");
});

const ID = "20261122-044103-";

function release(end: string, outcome: "applied" | "half" | "refused" | "reverted", more: Partial<ReleaseHead> = {}) {
  const head = {
    event: "release",
    id: `${ID}${end}`,
    startedAt: at,
    steps: [],
    before: [],
    left: { apps: {} },
    ...more,
  };
  return [head as unknown as ReleaseHead, { event: "end", outcome, at } as const];
}

describe("a deploy that was finished after an interruption", () => {
  const deploy = { id: "20261127080501-4a91c77", root: "/d", subject: "", former: null };
  const of = { deploy };

  test.each<[string, ReleaseEvent[][], string]>([
    ["returns to the state before its first attempt", [release("bbbb", "half", of)], "bbbb"],
    ["whatever was refused in between", [release("bbbb", "refused", of), release("aaaa", "half", of)], "aaaa"],
    ["and reverted", [release("bbbb", "reverted", of), release("aaaa", "half", of)], "aaaa"],
    ["but not before it was applied", [release("bbbb", "applied", of), release("aaaa", "half", of)], "cccc"],
    ["nor before another deploy", [release("bbbb", "half", { deploy: { ...deploy, id: "other" } })], "cccc"],
    ["nor of another root", [release("bbbb", "half", { deploy: { ...deploy, root: "/e" } })], "cccc"],
    ["nor before a rollback", [release("bbbb", "half", { ...of, undoes: "x" }), release("aaaa", "half", of)], "cccc"],
    ["nor before an apply in place", [release("bbbb", "half"), release("aaaa", "half", of)], "cccc"],
  ])("%s", (_what, older, expected) => {
    const journals = toJournals([release("cccc", "applied", of), ...older]);
    expect(beginningOf(journals, journals[0]!.head).id).toBe(`${ID}${expected}`);
  });

  test("an apply in place begins with itself", () => {
    const journals = toJournals([release("cccc", "applied"), release("bbbb", "half")]);
    expect(beginningOf(journals, journals[0]!.head).id).toBe(`${ID}cccc`);
  });
});

describe("the release to undo", () => {
  const lists = [release("dddd", "refused"), release("cccc", "reverted"), release("bbbb", "applied")];
  const find = (id?: string) => {
    try {
      return findRelease(lists, id).head.id;
    } catch (error) {
      const { kind, body } = error as SvcmError;
      return body.code ?? kind;
    }
  };

  test.each([
    [undefined, `${ID}bbbb`],
    [`${ID}cccc`, `${ID}cccc`],
    // Older than all, so it was kept once.
    [`${ID}aaaa`, "RELEASE_GONE"],
    [`${ID}eeee`, "RELEASE_NOT_FOUND"],
    ["0", "RELEASE_NOT_FOUND"],
  ])("%s is %s", (id, expected) => expect(find(id)).toBe(expected));

  test("is the one that a rollback was to undo, if that rollback was cut off", () => {
    const undoing = { undoes: `${ID}bbbb` };
    const after = (outcome: "applied" | "half" | "reverted") =>
      findRelease(
        [release("cccc", outcome, undoing), release("bbbb", "applied"), release("aaaa", "applied")],
        undefined,
      );
    expect(after("half").head.id).toBe(`${ID}bbbb`);
    expect(after("applied").head.id).toBe(`${ID}cccc`);
    expect(after("reverted").head.id).toBe(`${ID}bbbb`);
    expect(findRelease([release("cccc", "half", undoing)], undefined).head.id).toBe(`${ID}cccc`);
  });

  test("is missing if nothing has an effect", () => {
    expect(() => findRelease([release("dddd", "refused")], undefined)).toThrow(/none of them has an effect/);
    expect(() => findRelease([], undefined)).toThrow(/no release of this repository/);
  });
});

describe("while a rollback waited for a lock", () => {
  type Events = readonly ReleaseEvent[];
  const recorded = (id: string, outcome?: "applied" | "half" | "reverted", undoes?: string): Events => {
    const head = { event: "release", id, environment: "dev", startedAt: at, steps: [], before: [], left: { apps: {} } };
    const events = [{ ...head, ...(undoes !== undefined && { undoes }) }] as unknown as ReleaseEvent[];
    return outcome === undefined ? events : [...events, { event: "end", outcome, at }];
  };
  const one = recorded("1", "applied");

  test.each<[string, Events[], Events[], string | undefined]>([
    ["nothing happened", [one], [one], undefined],
    ["nothing happened to a release that was cut off", [recorded("2"), one], [recorded("2"), one], undefined],
    ["the newest release was applied", [recorded("2"), one], [recorded("2", "applied"), one], undefined],
    ["it ended half done", [recorded("2"), one], [recorded("2", "half"), one], undefined],
    ["it was reverted", [recorded("2"), one], [recorded("2", "reverted"), one], "the release 2 ended: it is reverted."],
    ["another one was applied", [one], [recorded("2", "applied"), one], "the release 2 began: it is applied."],
    ["another one was reverted", [one], [recorded("2", "reverted"), one], "the release 2 began: it is reverted."],
    [
      "another rollback came first",
      [recorded("2", undefined, "1"), one],
      [recorded("2", "applied", "1"), one],
      "the release 2 ended: it undoes 1, and is applied.",
    ],
  ])("%s", (_, before, now, text) => {
    if (text === undefined) return requireUnchanged(before, now);
    expect(() => requireUnchanged(before, now)).toThrow(text);
  });
});
