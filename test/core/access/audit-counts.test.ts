import { join } from "node:path";
import { expect, test } from "vitest";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";
import { recordOf } from "../../support/records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("the audit log counts its records by action and outcome since its start", async () => {
  const log = auditLog({ file: join(temporaryFolder(), "audit.jsonl") });
  const write = recordOf("one", { action: "env.set", outcome: "succeeded" });
  for (const record of [write, write, write, { ...write, outcome: "refused" as const }]) await log.append(record);
  expect(log.counts()).toEqual([
    { action: "env.set", outcome: "succeeded", count: 3 },
    { action: "env.set", outcome: "refused", count: 1 },
  ]);
});
