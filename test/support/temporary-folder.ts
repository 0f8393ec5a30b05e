import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Calls `end` after a test (`onTestFinished`), or after all tests of a file. */
export type WhenOver = (end: () => void | Promise<void>) => void;

/** For a set-up in `beforeAll`, because Vitest ignores an `afterAll` that is registered there. Ends run in reverse order. */
export function whenTestsOver(): WhenOver {
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return (end) => void ends.push(end);
}

/** A new folder for one test, with its real path, which is removed after the test. */
export function temporaryFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "svcm-test-"));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
