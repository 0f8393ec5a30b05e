import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Calls `end` when a test has ended (`onTestFinished`), or all tests of a file (`afterAll`). */
export type WhenOver = (end: () => void | Promise<void>) => void;

/** A new folder for one test, by its real path, that is removed when the test has ended. */
export function temporaryFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "svcm-test-"));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
