import { expect, test } from "vitest";
import type { AuditRecord } from "../../../../src/core/api/audit-record.ts";
import { rowsOf } from "../../../../src/console/tabs/activity/rows.ts";

test.each([
  ["env.write", "Environment: write"],
  ["keys.set-tier", "Keys: set tier"],
  ["boot.save", "Boot: save"],
  ["suite.interface.add", "Suite interface: add"],
  ["nats.init", "NATS: init"],
  ["mcp.call", "MCP: call"],
  // A request that no route takes.
  ["request", "Request"],
])("%s is called %s", (action, text) => {
  const record = { id: "r", timestamp: "2026-11-27T10:00:00.000Z", action, outcome: "succeeded" } as AuditRecord;
  expect(rowsOf([record], [])).toMatchObject([{ words: { action: text } }]);
});
