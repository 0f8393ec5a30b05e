import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ExpectedApp } from "./expected.ts";

/** PM2's list after an apply to an empty PM2. */
export function simulateApply(expected: readonly ExpectedApp[]): ProcessRecord[] {
  return expected
    .flatMap((app) => Array.from({ length: app.instances }, () => app))
    .map((app, pmId) => ({
      pmId,
      name: app.name,
      uniqueId: null,
      pid: pmId + 1,
      namespace: app.namespace,
      status: "online",
      restartCount: 0,
      unstableRestarts: 0,
      startedAt: null,
      lastStartAt: null,
      createdAt: null,
      script: app.script,
      cwd: app.cwd,
      interpreter: app.interpreter,
      execMode: app.execMode,
      instances: app.instances,
      watching: app.watch,
      nodeVersion: null,
      version: null,
      exitCode: null,
      cronRestart: null,
      cpuPercent: null,
      memoryBytes: null,
      customMetrics: {},
      customMetricUnits: {},
      httpPort: app.httpPort,
      declaration: {
        argsDigest: app.argsDigest,
        interpreterArgsDigest: app.interpreterArgsDigest,
        // svcm starts processes with PM2_HOME; every other key comes from the declaration.
        environment: { ...app.environments[0], PM2_HOME: "" },
        settings: app.settings,
      },
    }));
}
