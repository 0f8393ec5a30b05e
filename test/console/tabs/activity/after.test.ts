import { expect, test } from "vitest";
import type { AuditRecord } from "../../../../src/core/api/audit-record.ts";
import type { EventsResponse, SvcmEvent } from "../../../../src/core/api/events.ts";
import { readAfter } from "../../../../src/console/tabs/activity/rows.ts";

const AT = "2026-11-27T10:00:00.000Z";
const record = { id: "r", timestamp: AT, ms: 5, processes: [{ name: "web" }] } as unknown as AuditRecord;
const crash = { app: "consumer", at: AT, kind: "exit", cause: "crash", evidence: [] } as unknown as SvcmEvent;

/** Each page has one end of another app. */
function after(page: Pick<EventsResponse, "next" | "complete">) {
  return readAfter(record, Date.parse(AT) + 60_000, async () => ({ ...page, events: [crash] }));
}

test("nothing is known to have happened to the app only if every event was read", async () => {
  expect(await after({ next: null, complete: true })).toMatchObject({ isNothing: true, cutAt: undefined });
  expect(await after({ next: null, complete: false })).toMatchObject({ isNothing: false });
  // Another app's crash loop fills all pages that are read.
  expect(await after({ next: "more", complete: true })).toMatchObject({ isNothing: false, cutAt: AT });
});
