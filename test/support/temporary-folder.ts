import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Calls `end` when a test has ended (`onTestFinished`), or all tests of a file. */
export type WhenOver = (end: () => void | Promise<void>) => void;

/** For a set-up in `beforeAll`: Vitest runs no `afterAll` that is registered in there. The last that began ends first. */
export function whenTestsOver(): WhenOver {
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return (end) => void ends.push(end);
}

/** A new folder for one test, by its real path, that is removed when the test has ended. */
export function temporaryFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "svcm-test-"));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
