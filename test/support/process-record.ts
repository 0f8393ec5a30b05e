import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";

export function record(fields: Partial<ProcessRecord> = {}): ProcessRecord {
  return {
    pmId: 0,
    name: "api",
    uniqueId: null,
    pid: null,
    namespace: "default",
    status: "stopped",
    restartCount: 0,
    unstableRestarts: 0,
    startedAt: null,
    lastStartAt: null,
    createdAt: null,
    script: "/srv/api.js",
    cwd: "/srv",
    interpreter: "node",
    execMode: "fork",
    instances: 1,
    watching: false,
    nodeVersion: null,
    version: null,
    exitCode: null,
    cronRestart: null,
    cpuPercent: null,
    memoryBytes: null,
    customMetrics: {},
    customMetricUnits: {},
    httpPort: null,
    declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment: {}, settings: {} },
    ...fields,
  };
}
