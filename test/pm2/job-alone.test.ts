/** A repository whose only app is a job, on a machine where no PM2 runs yet. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execute, processRun, rolloutApply, type SvcmError } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "act", "write"] } as const;

test("an apply starts PM2, and a run whose daemon is killed is not to be repeated unseen", async () => {
  const own = pm2();
  onTestFinished(() => own.end());
  const begun = join(own.folder, "begun");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(begun)}, ""); ${IDLE}`;
  writeFileSync(join(own.folder, "job.cjs"), code);
  own.pm2Folder([{ name: "nightly", script: "./job.cjs", autorestart: false, cron_restart: "0 3 * * *" }]);
  const ports = own.ports();
  const input = { environment: "dev", minHealthyMs: 300, allowDirty: true };
  expect((await execute(rolloutApply, ports, input, caller)).release?.outcome).toBe("applied");
  expect((await ports.processes.list()).map(({ name, status }) => [name, status])).toEqual([["nightly", "stopped"]]);

  const failure = execute(processRun, ports, { name: "nightly" }, caller).catch((error: unknown) => error);
  await waitForFile(begun);
  process.kill(Number(readFileSync(join(own.home, "pm2.pid"), "utf8")), "SIGKILL");
  const error = (await failure) as SvcmError;
  expect([error.kind, error.message, error.body.hint]).toEqual([
    "PM2_FAILED",
    expect.stringContaining("The run of nightly (id 0) had begun, and svcm did not see its end: "),
    expect.stringContaining("svcm why nightly"),
  ]);
  await ports.processes.close();
});
