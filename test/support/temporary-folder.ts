import { mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync } from "node:fs";
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

/** The tests make and remove many thousands of small files. In memory, where Linux has it, that takes a fifth of the time. */
export const MEMORY = memoryFolder() ?? onDisk();

/** A test whose subject depends on the file system, such as a cut in place, gives this one. */
export function onDisk(): string {
  return realpathSync(tmpdir());
}

function memoryFolder(): string | undefined {
  const folder = "/dev/shm";
  if (process.platform !== "linux" || process.env["TMPDIR"] !== undefined) return undefined;
  const mount = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .find((line) => line.startsWith(`tmpfs ${folder} `));
  if (mount === undefined || mount.includes("noexec")) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 2 ** 31 ? undefined : folder;
}

/** A new folder for one test, with its real path, which is removed after the test. */
export function temporaryFolder(whenOver: WhenOver = onTestFinished, parent = MEMORY): string {
  const folder = mkdtempSync(join(parent, "svcm-test-"));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
