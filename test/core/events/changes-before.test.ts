import { expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import { failureBehind, asDeclared, releaseBefore, writeBefore } from "../../../src/core/events/evidence.ts";
import { type ReleaseEvent, toJournals, toRelease } from "../../../src/core/rollout/release.ts";

/** An apply of one app that took a second. @param time on 2026-11-22, in UTC */
function release(id: string, app: string, time: string, outcome?: "applied" | "half" | "reverted"): ReleaseEvent[] {
  const at = `2026-11-22T${time}:00.000Z`;
  const steps = [{ do: "update", app, pmIds: [0] }] as const;
  const common = { plan: "7f3a-9c21", environment: "dev", source: "cli", git: null, before: [], left: { apps: {} } };
  return [
    { event: "release", id, startedAt: at, steps, ...common } as ReleaseEvent,
    { event: "step", step: 0, phase: outcome === "applied" ? "done" : "failed", at },
    ...(outcome === undefined ? [] : [{ event: "end", outcome, at: `2026-11-22T${time}:01.000Z` } as const]),
  ];
}

const END = { app: "api", at: "2026-11-22T10:00:00.000Z", cause: "crash" } as const;

/** @param newestFirst the journals */
function sentences(
  newestFirst: ReleaseEvent[][],
  end: Parameters<typeof releaseBefore>[1] = END,
  now = "2026-11-22T12:00:00.000Z",
): string[] {
  const journals = toJournals(newestFirst);
  return releaseBefore(
    journals.map((journal) => toRelease(journal, null)),
    end,
    Date.parse(now),
  );
}

const ran = release("ran", "api", "09:50", "applied");
const older = release("older", "api", "09:00", "applied");

test("the release that was running is named, even if other apps were applied since the end", () => {
  const others = [release("c", "billing", "10:20", "applied"), release("b", "orders", "10:10", "applied")];
  expect(sentences([...others, ran, older])).toEqual([
    "The release ran was applied 9m 59s before this end. To undo it: svcm rollback ran",
  ]);
});

test("if the app was applied again since the end, there is nothing to undo", () => {
  expect(sentences([release("fix", "api", "10:10", "applied"), ran, older])).toEqual([
    "The release ran ended 9m 59s before this end. The release fix has changed api since.",
  ]);
});

test.each([
  ["the newest is ahead of the clock", [ran, older], "2026-11-22T09:30:00.000Z"],
  ["a later one has an earlier time", [older, ran], "2026-11-22T12:00:00.000Z"],
])("after the clock was set back, no release is called the one before an end: %s", (_, releases, now) => {
  expect(sentences(releases, END, now)).toEqual([
    "The clock was set back after the release ran, so it is not known which release came before this end.",
  ]);
});

test.each([
  [
    "half",
    "The release bad failed half-way and ended 4m 59s before this end. To see its steps: svcm releases show bad",
  ],
  [
    "reverted",
    "The release bad failed, was taken back and ended 4m 59s before this end. To see its steps: svcm releases show bad",
  ],
] as const)("a release that ended as %s is named, and not the last good one", (outcome, sentence) => {
  expect(sentences([release("bad", "api", "09:55", outcome), ran])).toEqual([sentence]);
});

test.each([
  ["reverted", "10:00:00", "The release bad failed and was taken back: api is not healthy."],
  ["half", "10:00:01", "The release bad failed half-way: api is not healthy."],
  ["reverted", "10:00:02", undefined],
  ["reverted", "09:59:59", undefined],
  ["applied", "10:00:00", undefined],
] as const)(
  "a restart of svcm during a release that ended as %s, at %s, has its failure",
  (outcome, time, sentence) => {
    const failure = { app: "api", reason: "api is not healthy.", errorLines: [] };
    const bad = release("bad", "api", "10:00", outcome).map((event) =>
      event.event === "end" && outcome !== "applied" ? { ...event, failure } : event,
    );
    const releases = toJournals([bad, ran]).map((journal) => toRelease(journal, null));
    const end = { app: "api", at: `2026-11-22T${time}.000Z`, cause: "svcm" } as const;
    expect(failureBehind(releases, end)).toEqual(sentence === undefined ? [] : [sentence]);
    expect(failureBehind(releases, { ...end, app: "web" })).toEqual([]);
    expect(failureBehind(releases, { ...end, cause: "pm2-cli" })).toEqual([]);
  },
);

test("a deploy is named by its commit and by whom, and a rollback by its id", () => {
  const deploy = { id: "20261122095000-4a91c77", root: "/d", subject: "faster search", former: null };
  const [head, ...rest] = ran;
  const git = { commit: `4a91c77${"0".repeat(33)}`, dirty: [] };
  const deployed = [{ ...head, source: "http", actor: "anna", deploy, git } as ReleaseEvent, ...rest];
  expect(sentences([deployed])).toEqual([
    "The deploy of 4a91c77 (faster search) by anna (http), release ran, was applied 9m 59s before this end. To undo it: svcm rollback ran",
  ]);
  const undoing = [{ ...deployed[0], undoes: "older" } as ReleaseEvent, ...rest];
  expect(sentences([undoing])[0]).toMatch(/^The release ran /);
});

test.each([
  ["only a later release", [release("fix", "api", "10:10", "applied")], END],
  ["a release of another app", [release("other", "billing", "09:50", "applied")], END],
  ["the release of a process that ended well", [ran], { ...END, cause: "exit" as const }],
  ["the release of a process whose daemon ended", [ran], { ...END, cause: "daemon" as const }],
])("%s is not named", (_, journals, end) => {
  expect(sentences(journals, end)).toEqual([]);
});

const write = (more: Partial<AuditRecord> = {}): AuditRecord => ({
  id: "1",
  timestamp: "2026-11-22T09:59:55.000Z",
  action: "env.write",
  environment: "dev",
  keys: ["PORT"],
  source: "cli",
  actor: "ann",
  outcome: "succeeded",
  ...more,
});

test("a value that svcm changed before the end is named, with its author and without the value", () => {
  expect(writeBefore([write()], END, "dev")).toEqual(["svcm changed PORT in dev 5s before this end, by ann (cli)."]);
});

test.each([
  ["after the end", write({ timestamp: "2026-11-22T10:00:01.000Z" }), "dev"],
  ["over a day before", write({ timestamp: "2026-11-21T09:00:00.000Z" }), "dev"],
  ["of another environment", write({ environment: "production" }), "dev"],
  ["that was refused", write({ outcome: "refused" }), undefined],
])("a write %s is not named", (_, record, environment) => {
  expect(writeBefore([record], END, environment)).toEqual([]);
});

test("a write is not named for a process whose daemon ended", () => {
  expect(writeBefore([write()], { ...END, cause: "daemon" }, "dev")).toEqual([]);
});

const STOP_CODE = "with exit code 7, one of its stop_exit_codes";
const HANDLES = "An app that handles a signal may end so, too.";
const RAN = "It had run for 2 s.";

test.each([
  ["exit", "It ended with exit code 7, one of its stop_exit_codes.", { name: "ended", reason: STOP_CODE }],
  [
    "crash",
    "It ended with exit code 7. An app that handles a signal may end so, too.",
    { name: "failed", reason: STOP_CODE },
  ],
] as const)("an end with a code of stop_exit_codes is not called a crash: %s", (cause, sentence, state) => {
  const crash = { cause: "crash", exitCode: 7, evidence: [`It ended with exit code 7. ${HANDLES}`, RAN] } as never;
  expect(asDeclared(crash, state)).toMatchObject({ cause, evidence: [sentence, RAN] });
});
