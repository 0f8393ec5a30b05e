import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { execute, metricsShow, processList } from "../../../src/core/index.ts";
import { countingPorts, runningRecord } from "../../support/counting-ports.ts";
import { until } from "../../support/watcher.ts";

const caller = { source: "cli", grants: ["read"] } as const;

test("a custom metric of a process shows no secret of an env file and no part of one", async () => {
  const world = countingPorts();
  const file = join(world.ports.workspace.configDir, ".env.dev");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "SVC_REDIS_PASSWORD=canary-4711-long\n");
  const customMetrics = {
    plain: 1,
    "to canary-4711-long": "canary-4711-long",
    cut: `${"x".repeat(195)}canary-4711-long`,
  };
  const customMetricUnits = {
    plain: "canary-4711-long",
    "to canary-4711-long": "MiB",
    cut: `${"y".repeat(195)}canary-4711-long`,
  };
  world.records = [runningRecord({ customMetrics, customMetricUnits })];
  const shown = await until(world, execute(metricsShow, world.ports, { environment: "dev" }, caller));
  const list = await execute(processList, world.ports, {}, caller);
  for (const text of [JSON.stringify(shown), JSON.stringify(list)]) {
    expect(text).toContain('"to [REDACTED]":"[REDACTED]"');
    expect(text).toContain('"customMetricUnits":{"plain":"[REDACTED]","to [REDACTED]":"MiB","cut":"yyy');
    expect(text).not.toContain("canar");
  }
});
