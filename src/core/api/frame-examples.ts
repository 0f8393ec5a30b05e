import type { ClientFrame, ServerFrame } from "./frames.ts";
import type { HostMetrics, MetricsPayload } from "./metrics.ts";

type Frame = ClientFrame | ServerFrame;
type Examples = { readonly [Type in Frame["type"]]: readonly Extract<Frame, { type: Type }>[] };

const GIB = 2 ** 30;
const collectedAt = "2026-01-01T00:00:00.000Z";

const host: HostMetrics = {
  system: {
    hostName: "shop-01",
    os: "Debian GNU/Linux 12",
    kernel: "6.1.0-18-amd64",
    architecture: "x64",
    virtualization: "kvm",
    bootedAt: "2025-12-20T00:00:00.000Z",
    fileSystems: [{ path: "/", type: "ext4", totalBytes: 100 * GIB }],
    interfaces: [{ name: "eth0", addresses: ["192.0.2.10"] }],
  },
  cpu: {
    coreCount: 2,
    model: "Example CPU",
    loadAvg: { one: 0.4, five: 0.3, fifteen: 0.2 },
    usagePercent: 12.5,
    perCore: [20, 5],
  },
  memory: {
    totalBytes: 8 * GIB,
    freeBytes: 2 * GIB,
    availableBytes: 5 * GIB,
    usedBytes: 3 * GIB,
    usedPercent: 37.5,
    processRssSumBytes: GIB,
    otherBytes: 2 * GIB,
  },
  disk: [
    {
      path: "/",
      totalBytes: 100 * GIB,
      freeBytes: 60 * GIB,
      availableBytes: 55 * GIB,
      usedBytes: 40 * GIB,
      usedPercent: 42.1,
    },
  ],
};

const payload: MetricsPayload = {
  source: "pm2",
  collectedAt,
  environment: "dev",
  ecosystem: {
    fileName: "ecosystem.dev.config.cjs",
    path: "/srv/app/pm2/ecosystem.dev.config.cjs",
    exists: true,
    expectedProcessCount: 1,
    missingExpected: [],
    unexpected: [],
    drift: [],
    unknown: [],
    planSteps: 0,
  },
  summary: {
    processCount: 1,
    onlineCount: 1,
    stoppedCount: 0,
    erroredCount: 0,
    totalCpuPercent: 1.5,
    totalMemoryBytes: GIB,
    statusCounts: { online: 1 },
    asyncContextActiveSum: null,
  },
  host,
  processes: [
    {
      name: "dev-restapi",
      pmId: 0,
      pid: 4242,
      namespace: "default",
      status: "online",
      kind: "service",
      state: "online",
      stateReason: null,
      problem: null,
      cpuPercent: 1.5,
      memoryBytes: GIB,
      restartCount: 0,
      unstableRestarts: 0,
      uptimeMs: 60_000,
      startedAt: "2025-12-31T23:59:00.000Z",
      script: "/srv/app/start-rest-api.js",
      interpreter: "node",
      execMode: "fork",
      instances: 1,
      watching: false,
      nodeVersion: "20.19.0",
      version: "1.0.0",
      exitCode: null,
      customMetrics: { "Event Loop Latency": 0.4 },
      customMetricUnits: { "Event Loop Latency": "ms" },
      diskIo: {
        supported: true,
        platform: "linux",
        readBytes: 4096,
        writeBytes: 8192,
        readBytesPerSecond: 0,
        writeBytesPerSecond: 512,
      },
      asyncContext: null,
    },
  ],
};

export const frameExamples: Examples = {
  subscribe: [{ type: "subscribe", environment: "dev", intervalMs: 1000 }],
  unsubscribe: [{ type: "unsubscribe" }],
  ping: [{ type: "ping" }],
  action: [
    { type: "action", action: "restart", name: "dev-restapi", requestId: "7" },
    { type: "action", action: "stop", scope: "namespace", namespace: "default" },
    { type: "action", action: "start", scope: "ecosystem", name: "dev-grpcapi" },
  ],
  "logs.subscribe": [{ type: "logs.subscribe", apps: ["dev-restapi"], level: "warn", tail: 100 }],
  "logs.unsubscribe": [{ type: "logs.unsubscribe" }],
  logs: [
    {
      type: "logs",
      lines: [
        {
          at: collectedAt,
          app: "dev-restapi",
          pmId: 0,
          stream: "err",
          level: "error",
          text: "connect ECONNREFUSED 127.0.0.1:6379",
          fields: { requestId: "a1" },
          file: "dev-restapi-error.log",
          offset: 4096,
        },
      ],
      skipped: 0,
      begin: { older: null, problems: [] },
    },
  ],
  "events.subscribe": [{ type: "events.subscribe", apps: ["dev-restapi"] }],
  "events.unsubscribe": [{ type: "events.unsubscribe" }],
  subscribed: [{ type: "subscribed", environment: "dev", intervalMs: 1000 }],
  pong: [{ type: "pong" }],
  metrics: [{ type: "metrics", payload }],
  changes: [
    {
      type: "changes",
      payload: { collectedAt: "2026-01-01T00:00:01.000Z" },
      processes: [{ cpuPercent: 2, uptimeMs: 61_000 }],
    },
  ],
  history: [
    {
      type: "history",
      payload: {
        from: Date.parse(collectedAt) - 40_000,
        step: 20_000,
        series: [
          { app: null, pmId: null, metric: "cpuPercent", mean: [12.5, 14], max: [13, 20] },
          { app: "dev-restapi", pmId: 0, metric: "memoryBytes", mean: [GIB, null], max: [GIB, null] },
        ],
        gaps: [],
      },
    },
  ],
  host: [{ type: "host", payload: { collectedAt, host } }],
  error: [
    { type: "error", code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." },
    {
      type: "error",
      code: "UNAUTHORIZED",
      details: "Accepted: the token of this server, with the upgrade or in a subscribe frame.",
      error: "Unauthorized.",
    },
  ],
  "action-result": [
    {
      type: "action-result",
      ok: true,
      action: "restart",
      scope: "process",
      name: "dev-restapi",
      pmId: 0,
      affected: [{ name: "dev-restapi", pmId: 0, namespace: "default", pid: 4243, status: "online" }],
      skipped: [],
      warnings: [],
      requestId: "7",
    },
    {
      type: "action-result",
      ok: false,
      action: "stop",
      scope: "process",
      name: "nothing",
      code: "PROCESS_NOT_FOUND",
      error: "Process not found.",
    },
  ],
  apply: [
    {
      type: "apply",
      release: "20261122-044103-b8f9",
      step: 2,
      of: 3,
      do: "update",
      app: "dev-restapi",
      phase: "begun",
    },
    {
      type: "apply",
      release: "20261122-044103-b8f9",
      step: 3,
      of: 3,
      do: "save",
      app: "",
      phase: "done",
      outcome: "applied",
    },
  ],
  "events.subscribed": [{ type: "events.subscribed" }],
  event: [
    {
      type: "event",
      event: {
        at: collectedAt,
        app: "dev-restapi",
        pmId: 0,
        kind: "exit",
        cause: "crash",
        certainty: "certain",
        evidence: ["It ended by itself, with exit code 1.", "PM2 started it again."],
        exitCode: 1,
      },
    },
  ],
};
