import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MetricsPayload } from "../../../src/core/api/metrics.ts";

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../fixtures/telemetry/payload.json"), "utf8"),
) as MetricsPayload;

export const payload: MetricsPayload = { ...recorded, ecosystem: { ...recorded.ecosystem, planSteps: 3 } };

export const facts = {
  version: "1.2.3",
  server: "Zm9vYmFyYmF6cXV4cXV1eA",
  own: {
    cpuSeconds: 1.5,
    rssBytes: 1e3,
  },
  cost: {
    samples: 7,
    listCalls: 3,
  },
  audit: [
    {
      action: "env.write",
      outcome: "succeeded",
      count: 2,
    } as const,
  ],
  releases: [
    {
      id: "20261122-044103-b8f9",
      plan: "7f3a-9c21",
      environment: "dev",
      startedAt: "2026-11-22T04:41:03.000Z",
      endedAt: "2026-11-22T04:41:09.000Z",
      source: "cli",
      git: { commit: "1d6f1f0c2a", dirty: [] },
      outcome: "applied",
      steps: [],
      cannotUndo: [],
    } as const,
  ],
  boot: [
    { code: "BOOT_VALUE", severity: "error", path: ["web"], message: "web would start with another MODE" },
    { code: "UNIT_ABSENT", severity: "error", path: [], message: "no unit" },
  ] as const,
  ended: new Map([["applied", 3] as const]),
  logs: {
    at: "2026-11-22T04:41:09.000Z",
    pm2Home: "/home/deploy/.pm2",
    logs: [
      {
        path: "/home/deploy/.pm2/logs/orders-api-out.log",
        app: "orders-api",
        stream: "out",
        bytes: 2048,
        rotatedFiles: 1,
        rotatedBytes: 512,
        bytesPerHour: 1024,
        since: "2026-11-22T03:41:09.000Z",
        rotatedBy: [{ tool: "svcm", config: null }],
        problem: null,
      } as const,
    ],
    deleted: [],
    disks: [{ path: "/", availableBytes: 1e9, totalBytes: 2e9, bytesPerHour: 1e6, unknownLogs: 0, fullInHours: 1000 }],
    issues: [],
  },
};

export const exposedFacts = { ...facts, sample: { kind: "metrics", payload } } as const;
