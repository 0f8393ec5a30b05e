/** After a restart or reload with a declaration, the process and PM2's complete record equal those of a new process. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { declaredApps, few } from "./declared-apps.ts";
import { longTest } from "../support/runs.ts";

const { own, ports, recordsOf, readReport, act, expectEffective } = declaredApps();

longTest("in fork mode, a restart makes the whole declaration effective", () =>
  expectEffective("fork", "restart", {}, "another-node"),
);

longTest("in cluster mode, a reload makes the whole declaration effective", () =>
  expectEffective("cluster", "reload", { exec_mode: "cluster", instances: 2 }),
);

test("a variable of the shell that started the app is kept, and one that was removed from the file is removed", async () => {
  const env = { FROM_SHELL: "kept", SVC_MODE: "old", PM2_USAGE: "CLI" };
  await own.run({ name: "shell", script: join(own.folder, "first.cjs"), env });
  own.pm2Folder([{ name: "shell", ...few }]);
  await act("restart", "shell");
  const shell = (await ports.processes.list()).find(({ name }) => name === "shell");
  const given = (await readReport(shell!.pmId)).env;
  expect(given).toMatchObject({ FROM_SHELL: "kept", KEPT: "1" });
  expect(given).not.toHaveProperty("SVC_MODE");
});

longTest("a declaration that PM2 cannot resolve changes nothing, and the refusal shows no value", async () => {
  const canary = "canary-71c2";
  own.pm2Folder([{ name: "broken", ...few }]);
  await act("start", "broken");
  const before = await recordsOf("broken");
  own.pm2Folder([
    { name: "broken", script: "./first.cjs", interpreter: "no-such-program", env: { KEY: canary }, args: canary },
  ]);
  const refusal = await act("restart", "broken").catch(
    (error: unknown) => error as { body: { code: string; details: string } },
  );
  expect(refusal).toMatchObject({ kind: "PM2_FAILED", body: { code: "PM2_ACTION_FAILED" } });
  expect(JSON.stringify(refusal)).not.toContain(canary);
  expect(await recordsOf("broken")).toEqual(before);
});
