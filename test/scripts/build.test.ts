import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { buildCommandLine } from "../../scripts/build/command-line.ts";
import { plainEnvironment, REPOSITORY, svcm } from "../support/command-line.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

longTest(
  "a command line built without lazy chunks behaves in the same way, because no chunk needs a later one",
  async () => {
    // The build finds PM2 there.
    const folder = mkdtempSync(join(REPOSITORY, "node_modules/.svcm-eager-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const dist = join(folder, "dist");
    await buildCommandLine(dist, { isLazy: false });
    const { root: cwd } = makeWorkspace();
    for (const argv of [
      ["env", "get"],
      ["targets", "validate", "--json"],
      ["env", "gte"],
    ]) {
      const env = plainEnvironment();
      const eager = spawnSync(process.execPath, [join(dist, "launch.cjs"), ...argv], { cwd, env, encoding: "utf8" });
      const { status, stdout, stderr } = eager;
      expect({ status, stdout, stderr }).toEqual(svcm(argv, { cwd }));
    }
  },
);
