import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import { processState, type StateOf } from "../../src/core/running/state.ts";

/** From PM2's record alone. */
export const stateOf: StateOf = (listed, kind) =>
  processState(listed, { epochMs: listed.lastStartAt ?? 0, missingFolders: new Set(), kind });

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
    versioning: null,
    httpPort: null,
    declaration: { argsDigest: "[]", interpreterArgsDigest: "[]", environment: {}, settings: {} },
    ...fields,
  };
}
