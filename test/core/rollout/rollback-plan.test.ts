/** Of an app that a release touched: which of its processes do not run as before it? */
import { expect, test } from "vitest";
import { planRollback } from "../../../src/core/rollout/apply/rollback-plan.ts";
import { definitionText } from "../../../src/core/rollout/plan.ts";
import type { FormerProcess, ReleaseEvent, ReleaseHead } from "../../../src/core/rollout/release.ts";
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

async function stepOf(before: readonly ProcessRecord[], now: readonly ProcessRecord[], isPinned = false) {
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
    left: { apps: {} },
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
  const [step] = plan.steps;
  return `${plan.changed ? "changes" : "leaves"} ${step?.pmIds.join(" ")} ${step?.disruption}`.replace("  ", " ");
}

test.each<[string, ProcessRecord[], ProcessRecord[], string]>([
  ["as before", [up(0)], [up(0)], "leaves none"],
  ["restarted since", [up(0)], [up(0, { pid: 999, restartCount: 3 })], "leaves none"],
  ["with another definition", [up(0)], [up(0, { cwd: "/new" })], "changes 0 gap"],
  ["a new process of that number", [up(0)], [up(0, { uniqueId: "other" })], "changes 0 gap"],
  ["stopped since", [up(0)], [up(0, stopped)], "changes 0 none"],
  ["started since", [up(0, stopped)], [up(0)], "changes 0 gap"],
  ["stopped before and now", [up(0, stopped)], [up(0, stopped)], "leaves none"],
  ["one of two", [up(0), up(1)], [up(0), up(1, { cwd: "/new" })], "changes 1 partial"],
  ["a cluster", [up(0, cluster)], [up(0, { ...cluster, cwd: "/new" })], "changes 0 none"],
  ["a new app", [], [up(0)], "changes 0 down"],
  ["removed since", [up(0)], [], "changes none"],
  ["with one instance more", [up(0)], [up(0), up(1)], "changes 1 partial"],
  ["with one instance less", [up(0), up(1)], [up(0)], "changes none"],
])("an app that runs %s", async (_what, before, now, expected) => {
  expect(await stepOf(before, now)).toBe(expected);
});

test("with former env files, each process that was started since returns", async () => {
  const now = [up(0), up(1, { pid: 999 })];
  expect(await stepOf([up(0), up(1)], now, true)).toBe("changes 1 partial");
  expect(await stepOf([up(0), up(1)], now, false)).toBe("leaves none");
});
