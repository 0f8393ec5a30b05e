import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { builtPrograms } from "./test/support/built-programs.ts";
import { longFiles } from "./test/support/long-files.ts";
import LongFirst from "./test/support/long-first.ts";

const installed = createHash("sha256")
  .update(readFileSync(join(import.meta.dirname, "node_modules/.package-lock.json")))
  .digest("hex")
  .slice(0, 12);
const isLong = process.env["SVCM_TEST_LONG"] === "1";
const tests = ["", "apps/*/"].map((folder) => `${folder}test/**/*.test.ts`);

export default defineConfig({
  plugins: [builtPrograms()],
  test: {
    include: isLong ? longFiles(tests) : tests,
    exclude: ["**/node_modules/**", ...(isLong ? [] : ["**/*.long.test.ts"])],
    globalSetup: ["./test/support/build-once.ts", "./test/support/unpack-chromium.ts"],
    // Real processes, disks and browsers: a limit that only a hang reaches.
    testTimeout: isLong ? 1_800_000 : 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    // Half of the time is spent waiting for a process or a page: four files side by side use two cores.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Modules keep no state, so a worker loads them once for all of its files.
    isolate: false,
    // By content: a run translates only what changed. One folder for each set of installed packages, because Vitest
    // empties the folder of another set and then fails to write into it.
    experimental: { fsModuleCache: true, fsModuleCachePath: `node_modules/.cache/vitest-${installed}` },
    retry: 0,
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/support/closing-line.ts"],
  },
});
