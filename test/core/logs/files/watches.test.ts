import { expect, test } from "vitest";
import { ProcessList } from "../../../../src/core/logs/files/worker/process-list.ts";
import { Watches } from "../../../../src/core/logs/files/worker/watches.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("a step that fails is reported, because a command that follows a log has no worker that would end", async () => {
  const processList = new ProcessList({ home: temporaryFolder(), folders: [], key: new Uint8Array(32) });
  let failure: Error | undefined;
  const targets = (): [] => {
    if (failure !== undefined) throw failure;
    return [];
  };
  Object.defineProperty(processList, "targets", { get: targets });
  processList.refresh = () => Promise.resolve();
  let report: (error: unknown) => void = () => undefined;
  const reported = new Promise<unknown>((resolve) => (report = resolve));
  const watches = new Watches(processList, () => undefined, report);
  await watches.start("key", {}, true);
  failure = new Error("a stale file handle");
  expect(await reported).toBe(failure);
  failure = undefined;
  watches.leave("key");
});
