import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import { attributeEvents as joined } from "../../../src/core/events/attribute-events.ts";
import { logEvents } from "../../../src/core/events/log-events.ts";
import { toSvcmEvent } from "../../../src/core/events/page.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";

const HOME = "/home/deploy/.pm2";
const attributeEvents = (...given: Parameters<typeof joined>) => joined(...given).map(toSvcmEvent);
const second = (seconds: number): string => `2026-11-22T04:42:${String(seconds).padStart(2, "0")}`;
const logOf = (...lines: (readonly [number, string])[]) =>
  logEvents(lines.flatMap(([at, text]) => logEntry(`${second(at)}: PM2 log: ${text}`) ?? []));

const START = "App [api:0] starting in -fork mode-";
const STOPPING = "Stopping app:api id:0";
const ENDED = "App [api:0] exited with code [0] via signal [SIGINT]";
const RECORD: AuditRecord = {
  id: "renewal",
  timestamp: new Date(`${second(3)}.400`).toISOString(),
  action: "daemon.renew",
  processes: [{ name: "api", pmId: null, pm2Home: HOME }],
  source: "cli",
  actor: "deploy",
  outcome: "succeeded",
  ms: 1000,
};

describe("a new daemon without a stop of the former one", () => {
  const NEW = "--- New PM2 Daemon started ---";
  const lines = [
    [1, START],
    [1, "App [api:0] online"],
    [2, NEW],
    [2, STOPPING],
    [3, ENDED],
    [3, START],
  ] as const;
  const renewed = (more: Partial<AuditRecord> = {}) => ({
    ...RECORD,
    ...more,
  });

  test("is the effect of a renewal by svcm, whose apps end one by one", () => {
    const events = attributeEvents(logOf(...lines), [renewed()], HOME);
    expect(events.map(({ kind, cause, certainty }) => [kind, cause, certainty])).toEqual([
      ["restart", "svcm", "certain"],
      ["daemon", "svcm", "certain"],
      ["start", "unknown", "unknown"],
    ]);
    expect(JSON.stringify(events)).not.toContain("without a message");
  });

  test.each([
    ["none", []],
    ["one of another PM2", [renewed({ processes: [{ name: "api", pmId: null, pm2Home: "/root/.pm2" }] })]],
    ["one that was refused", [renewed({ outcome: "refused" })]],
  ])("is a killed daemon if the audit log has %s", (_case, records) => {
    const events = attributeEvents(logOf(...lines), records, HOME);
    expect(events.filter(({ cause }) => cause === "daemon").map(({ kind }) => kind)).toEqual(["daemon", "exit"]);
  });
});
