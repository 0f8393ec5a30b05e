/** The events and audit records that a node sends, and how the server puts those of several clocks in one order. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import { mergeNodeRecords, readUnsent, toTimedEvents, type SentRecord } from "../../../src/core/events/unsent.ts";
import { recordOf } from "../../support/records.ts";
import { exit, makePorts, NOW, START, type Line, type World } from "./why-world.ts";

const HOUR_AGO = NOW - 3_600_000;
const MINUTE = 60_000;
const audit = (id: string, second: number, more: Partial<AuditRecord> = {}): AuditRecord =>
  recordOf(id, { timestamp: new Date(HOUR_AGO + second * 1000).toISOString(), ...more });

function read(world: World, before?: { untilMs: number; ids: readonly string[] }, untilMs = NOW) {
  const queried: unknown[] = [];
  const ports = makePorts(world);
  const newest = async (query: { readonly since: number }) => {
    queried.push(query);
    const records = (world.audit ?? []) as readonly AuditRecord[];
    return { records: records.filter(({ timestamp }) => Date.parse(timestamp) >= query.since), isComplete: true };
  };
  const host = { digest: (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64url") };
  const all = { ...ports, host, audit: { newest } };
  const unsent = readUnsent(all as never, before, untilMs, new AbortController().signal);
  return unsent.then((found) => ({ ...found, queried }));
}

describe("a node sends", () => {
  test("ends and starts, oldest first, with the audit records, and no event that an audit record is", async () => {
    const processes = [{ name: "other", pmId: 7, pm2Home: "/pm2" }];
    const records = [
      audit("d", 11, { action: "process.restart", processes }),
      audit("c", 10, { action: "plan.apply" }),
      audit("b", 9, { action: "env.write" }),
      audit("a", 2, { outcome: "started" }),
    ];
    const { records: sent, hasMore, after } = await read({ lines: [START, ...exit(5)], audit: records });
    const kinds = sent.map(({ event, audit: own }) => event?.kind ?? own?.action);
    expect(kinds).toEqual(["start", "env.write", "exit", "env.write", "plan.apply", "process.restart"]);
    expect(sent.map(({ id }) => id).filter((id) => id.includes("."))).toEqual([
      "a.started",
      "b.succeeded",
      "c.succeeded",
      "d.succeeded",
    ]);
    expect(sent[0]?.id).toHaveLength(22);
    expect([hasMore, after.untilMs]).toEqual([false, NOW]);
    expect(sent.every((one) => !("atMs" in one))).toBe(true);
  });

  test("each record once, also two of the same kind in a second, and what comes late", async () => {
    const lines: readonly Line[] = [START, ...exit(5), ...exit(5)];
    const first = await read({ lines }, undefined, HOUR_AGO + MINUTE);
    expect(new Set(first.records.map(({ id }) => id)).size).toBe(3);
    const again = await read({ lines }, first.after);
    expect([again.records, again.after.ids]).toEqual([[], []]);
    const late = await read({ lines: [...lines, ...exit(6, 1)] }, first.after, HOUR_AGO + 2 * MINUTE);
    expect(late.records.map(({ event }) => event?.kind)).toEqual(["exit"]);
    expect(late.after.ids).toHaveLength(4);
  });

  test("an end once, also if a later line shows that it was a restart", async () => {
    const [end] = exit(5, 0);
    const lines: readonly Line[] = [[5, "Stopping app:api id:0"], end as Line];
    const first = await read({ lines }, undefined, HOUR_AGO + MINUTE);
    expect(first.records.map(({ event }) => event?.kind)).toEqual(["stop"]);
    const again: Line = [5, "App [api:0] starting in -fork mode-"];
    expect((await read({ lines: [...lines, again] }, first.after)).records).toEqual([]);
  });

  test("nothing that is not over, and only the last day at first", async () => {
    const { records, queried } = await read({ lines: [START, ...exit(5)] }, undefined, HOUR_AGO + 5000);
    expect(records.map(({ event }) => event?.kind)).toEqual(["start"]);
    expect(queried.at(-1)).toMatchObject({ since: HOUR_AGO + 5000 - 86_400_000 - 5 * MINUTE });
  });

  test("on from the present time if the clock was set back", async () => {
    const { queried, after } = await read({}, { untilMs: NOW + MINUTE, ids: [] });
    expect([queried.at(-1), after.untilMs]).toMatchObject([{ since: NOW - 5 * MINUTE }, NOW]);
  });

  test("a thousand at a time", async () => {
    const records = Array.from({ length: 1500 }, (_, at) => audit(`n${at}`, 1500 - at));
    const first = await read({ audit: records });
    expect([first.records.length, first.hasMore]).toEqual([1000, true]);
    expect(first.after.untilMs).toBe(HOUR_AGO + 1_000_000);
    const rest = await read({ audit: records }, first.after);
    expect([rest.records.length, rest.hasMore, rest.after.untilMs]).toEqual([500, false, NOW]);
    const whole = [...first.records, ...rest.records].map(({ id }) => id);
    expect(new Set(whole).size).toBe(1500);
  });
});

describe("the server", () => {
  const event = { at: "2026-11-27T08:00:00.000Z", app: "api", pmId: 0, kind: "exit", cause: "crash" } as const;
  const end = { ...event, certainty: "likely", evidence: ["It ended."] } as const;
  const sent = (node: string, more: Partial<SentRecord>): SentRecord => ({ id: "1", node, aheadMs: 0, ...more });
  const merged = (...records: readonly SentRecord[]) =>
    mergeNodeRecords(records).map(({ event: { node, kind, app } }) => `${node} ${kind} ${app}`);
  const act = (id: string, outcome: AuditRecord["outcome"]) =>
    audit(id, 0, { action: "process.restart", outcome, processes: [{ name: "api", pmId: 0, pm2Home: "/pm2" }] });

  test("lists the newest first, whichever node it is of", () => {
    const [older, newer] = [end, { ...end, at: "2026-11-27T09:00:00.000Z" }];
    expect(merged(sent("a", { event: older }), sent("b", { event: newer }))).toEqual(["b exit api", "a exit api"]);
  });

  test("lists an attempt once, with its outcome, and not beside the end that it caused", () => {
    const attempt = [sent("a", { audit: act("x", "started") }), sent("a", { audit: act("x", "succeeded") })];
    expect(merged(...attempt)).toEqual(["a action api"]);
    expect(merged(...attempt, sent("b", { audit: act("x", "started") }))).toHaveLength(2);
    const caused = { event: { ...end, auditId: "x" } };
    expect(merged(...attempt, sent("a", caused))).toEqual(["a exit api"]);
    expect(merged(...attempt, sent("b", caused))).toHaveLength(2);
  });

  test.each([
    [1999, "2026-11-27T08:00:00.000Z", undefined],
    [-1999, "2026-11-27T08:00:00.000Z", undefined],
    [2000, "2026-11-27T07:59:58.000Z", "The clock of a is 2 s ahead of the server's; the time here is the server's."],
    [-90_000, "2026-11-27T08:01:30.000Z", "The clock of a is 90 s behind the server's; the time here is the server's."],
  ])("puts an event of a clock that is %i ms ahead at %s", (aheadMs, at, note) => {
    const [one] = toTimedEvents(sent("a", { event: end, aheadMs }));
    expect(new Date(one?.atMs ?? 0).toISOString()).toBe(at);
    expect(one?.event.evidence).toEqual(["It ended.", ...(note === undefined ? [] : [note])]);
  });

  test("leaves out a record without either", () => {
    expect(toTimedEvents(sent("a", {}))).toEqual([]);
  });
});
