import { expect, test } from "vitest";
import { callerText, subjectText } from "../../../src/core/access/audit-text.ts";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";

function record(about: Partial<AuditRecord>): AuditRecord {
  return {
    id: "1",
    timestamp: "2026-01-31T08:00:00Z",
    action: "process.start",
    source: "cli",
    outcome: "succeeded",
    ...about,
  };
}

const processes = [{ name: "api", pmId: 3, pm2Home: "/root/.pm2" }];

test.each([
  ["the app of an ecosystem file", { target: "ecosystem api", processes }, "api (id 3)"],
  ["an app", { target: "api", processes }, "api (id 3)"],
  ["every app of an ecosystem file", { target: "ecosystem *", processes }, "ecosystem *, api (id 3)"],
  ["an app that PM2 does not know", { target: "other" }, "other"],
  ["keys", { keys: ["A", "B"] }, "A, B"],
])("a record about %s names each subject once", (_, about, subject) => {
  expect(subjectText(record(about))).toBe(subject);
});

test.each([
  [{ source: "cli" }, "cli"],
  [{ source: "cli", actor: "ada" }, "ada (cli)"],
  [{ source: "mcp", actor: "ada", client: 'a "tool"' }, 'ada (mcp, says it is "a \\"tool\\"")'],
] as const)("the caller %j is %s", (caller, text) => {
  expect(callerText({ actor: undefined, ...caller })).toBe(text);
});
