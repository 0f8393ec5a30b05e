import { expect, test } from "vitest";
import { LogLink, readInWorker } from "../../../../src/core/logs/files/log-link.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function countPorts(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
}

test("a worker that waits for its first call does not keep the program running", async () => {
  const before = countPorts();
  const link = new LogLink({ home: temporaryFolder(), folders: [], key: new Uint8Array(32) }, readInWorker);
  link.prepare();
  expect(countPorts()).toBe(before);
  await link.close();
});
