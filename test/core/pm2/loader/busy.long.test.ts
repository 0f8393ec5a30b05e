/** A machine with far more work than processors. */
import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { ecosystemLoader } from "../../../../src/core/pm2/loader/index.ts";
import { makeWorkspace } from "../../../support/workspace.ts";

/** Uses the processor for 0.6 seconds. */
const WORK = "const { cpuUsage } = process; const began = cpuUsage().user; while (cpuUsage().user - began < 6e5);";

test("a file that waits for a processor is not taken for one that does not end", async () => {
  const busy = Array.from({ length: cpus().length * 8 }, () => spawn("/bin/sh", ["-c", "while :; do :; done"]));
  onTestFinished(() => busy.forEach((one) => one.kill("SIGKILL")));
  const workspace = makeWorkspace({
    "e.config.cjs": `${WORK} module.exports = { apps: [{ name: "a", script: "a.js" }] };`,
  });
  const loader = ecosystemLoader({ root: workspace.root, env: { PATH: process.env["PATH"] } });
  const began = performance.now();
  expect(await loader.load(workspace.path("e.config.cjs"))).toMatchObject({ apps: [{ fields: { name: "a" } }] });
  expect(performance.now() - began).toBeGreaterThan(3000);
});
