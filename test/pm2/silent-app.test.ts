/** Apps with `wait_ready` whose code never calls `process.send("ready")`: PM2 shows them as online all the same. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, rolloutApply, SvcmError, type Ports } from "../../src/core/index.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";

const CODE = 'if (process.env.REPORTS === "yes") process.send("ready"); setInterval(() => {}, 1e6);';
let own: Pm2;
let ports: Ports;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), CODE);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
});
afterAll(() => own.end());

const declare = (REPORTS: string, level: string, listenMs: number): void =>
  own.pm2Folder([
    { name: "api", script: "./app.cjs", wait_ready: true, listen_timeout: listenMs, env: { REPORTS, level } },
  ]);

const apply = (): Promise<string> =>
  execute(rolloutApply, ports, { environment: "dev" }, { source: "cli", grants: ["read", "write"] }).then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? error.message : String(error)),
  );

test("an app that was silent before is put back, and only then may be silent again", async () => {
  declare("no", "1", 300);
  await own.startDeclared("api");
  declare("no", "2", 300);
  const failed =
    "api (id 0) is not healthy. It did not report that it was ready within its listen_timeout of 0.3 s. Every touched app runs as before.";
  expect(await apply()).toBe(`${failed} Started as before, api did not report that it was ready either.`);

  declare("yes", "3", 60_000);
  expect(await apply()).toBe("done");
  declare("no", "4", 300);
  expect(await apply()).toBe(failed);
});
