/** An apply after which nothing serves the port of an app, and no error says so, with a real PM2. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { execute, rolloutApply } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const { own, ports } = runningPm2();
const SERVER = "require('node:http').createServer().listen(process.env.PORT, '127.0.0.1');";
const WAITING = "setInterval(() => {}, 1000);";
const SILENT = { error_file: "/dev/null", out_file: "/dev/null" };

const apply = async () => {
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  const { release } = await execute(rolloutApply, ports, { environment: "dev", allowDirty: true }, caller);
  return release;
};

longTest.each(["fork", "cluster"])("is applied with a doubt if a %s app served its port before", async (mode) => {
  const script = join(own.folder, "served.cjs");
  writeFileSync(script, SERVER);
  const name = `served-${mode}`;
  own.pm2Folder([{ name, script, exec_mode: mode, listen_timeout: 300, env: { PORT: await freePort() } }]);
  expect(await apply()).not.toHaveProperty("unknown");

  writeFileSync(script, WAITING);
  const reason = expect.stringMatching(/^nothing of it listens on port \d+, and before this apply something did$/);
  expect(await apply()).toMatchObject({ outcome: "applied", unknown: [{ app: name, part: "state", reason }] });
});

longTest.each([SILENT, { disable_logs: true }])("is applied with a doubt if nothing can be read: %o", async (logs) => {
  const script = join(own.folder, "waiting.cjs");
  writeFileSync(script, WAITING);
  const app = { script, ...logs, exec_mode: "fork", env: { PORT: await freePort() } };
  const name = `unread-${Object.keys(logs).length}`;
  own.pm2Folder([{ name, ...app }]);
  const reason = expect.stringContaining("has no error log to read") as string;
  expect(await apply()).toMatchObject({ outcome: "applied", unknown: [{ app: name, part: "state", reason }] });
});

longTest("is applied without a doubt if a slow app serves after a while", async () => {
  const script = join(own.folder, "slow.cjs");
  writeFileSync(script, SERVER);
  own.pm2Folder([{ name: "slow", script, ...SILENT, env: { PORT: await freePort() } }]);
  await apply();
  writeFileSync(script, `setTimeout(() => { ${SERVER} }, 5000);`);
  expect(await apply()).not.toHaveProperty("unknown");
});

longTest.for([false, true])(
  "hears the workers of a cluster without a log also if it launches PM2: one cannot load: %s",
  async (isBroken) => {
    const fresh = pm2();
    onTestFinished(() => fresh.end());
    writeFileSync(join(fresh.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
    const script = join(fresh.folder, "served.mjs");
    const failing = 'if (process.env.NODE_APP_INSTANCE === "1") throw new Error("it cannot load");';
    writeFileSync(
      script,
      `import http from "node:http";
      ${isBroken ? failing : ""}
      http.createServer().listen(process.env.PORT, "127.0.0.1");`,
    );
    fresh.pm2Folder([{ name: "pair", script, instances: 2, ...SILENT, env: { PORT: await freePort() } }]);
    const { release } = await execute(rolloutApply, fresh.ports(), { environment: "dev", allowDirty: true }, caller);
    const reason = expect.stringMatching(/^it wrote an error of its start/) as string;
    const unknown = isBroken ? [{ app: "pair", pmIds: [1], part: "state", reason }] : undefined;
    expect({ unknown: release?.unknown }).toEqual({ unknown });
  },
);
