import { expect, test } from "vitest";
import { releaseBefore } from "../../../src/core/events/why.ts";
import type { ReleaseEvent } from "../../../src/core/rollout/release.ts";

/** An apply of one app that took a second. @param time on 2026-11-22, in UTC */
function release(id: string, app: string, time: string, outcome?: "applied" | "half"): ReleaseEvent[] {
  const at = `2026-11-22T${time}:00.000Z`;
  const steps = [{ do: "update", app, pmIds: [0] }] as const;
  const common = { plan: "7f3a-9c21", environment: "dev", source: "cli", git: null, before: [], left: { apps: {} } };
  return [
    { event: "release", id, startedAt: at, steps, ...common } as ReleaseEvent,
    { event: "step", step: 0, phase: "done", at },
    ...(outcome === undefined ? [] : [{ event: "end", outcome, at: `2026-11-22T${time}:01.000Z` } as const]),
  ];
}

/** @param newestFirst the journals */
function sentences(newestFirst: ReleaseEvent[][]): Promise<string[]> {
  const releases = { list: () => Promise.resolve(newestFirst), lockedSince: () => Promise.resolve(null) };
  return releaseBefore({ releases }, { app: "api", at: "2026-11-22T10:00:00.000Z" });
}

const ran = release("ran", "api", "09:50", "applied");
const older = release("older", "api", "09:00", "applied");

test("the release that was running is named, even if other apps were applied since the end", async () => {
  const others = [release("c", "billing", "10:20", "applied"), release("b", "orders", "10:10", "applied")];
  expect(await sentences([...others, ran, older])).toEqual([
    "The release ran was applied 9m 59s before this end. To undo it: svcm rollback ran",
  ]);
});

test("if the app was applied again since the end, there is nothing to undo", async () => {
  expect(await sentences([release("fix", "api", "10:10", "applied"), ran, older])).toEqual([
    "The release ran was applied 9m 59s before this end. The release fix has changed api since.",
  ]);
});

test.each([
  ["only a later release", [release("fix", "api", "10:10", "applied")]],
  ["a release of another app", [release("other", "billing", "09:50", "applied")]],
  ["an interrupted release above an applied one", [release("half", "api", "09:55"), ran]],
  ["a release that is half done", [release("half", "api", "09:55", "half"), ran]],
])("%s is not named", async (_, journals) => {
  expect(await sentences(journals)).toEqual([]);
});
