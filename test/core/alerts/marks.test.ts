import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { updateAlerts, INITIAL_STATE, readHoldOffs } from "../../../src/core/alerts/alert-state.ts";
import { findConditions } from "../../../src/core/alerts/conditions.ts";
import { presentMarks, readUntil, withMark } from "../../../src/core/alerts/marks.ts";
import { findMute } from "../../../src/core/alerts/muted.ts";
import type { Mark } from "../../../src/core/api/alerts.ts";
import { manualTelemetry, sample, withTelemetry } from "../../server/socket/hand-telemetry.ts";
import { ask, repository, testServer } from "../../server/support.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-27T14:00:00Z");
const at = (ms: number): string => new Date(ms).toISOString();

const muted = (kinds: readonly string[], until = NOW + 60 * MINUTE): Mark => ({
  subject: "feed",
  mute: { kinds, until: at(until), by: "ann", at: at(NOW) },
});

describe("a mute", () => {
  test("is of the kinds that it names, of its subject, until its end and not at it", () => {
    const marks = [muted(["errored"])];
    const isMuted = (subject: string, kind: string, nowMs: number) =>
      findMute(marks, { subject, kind }, nowMs) !== undefined;
    expect(isMuted("feed", "errored", NOW)).toBe(true);
    expect(isMuted("feed", "hung", NOW)).toBe(false);
    expect(isMuted("other", "errored", NOW)).toBe(false);
    expect(isMuted("feed", "errored", NOW + 60 * MINUTE - 1)).toBe(true);
    expect(isMuted("feed", "errored", NOW + 60 * MINUTE)).toBe(false);
  });

  test("leaves nothing behind when it has ended, and a note stays", () => {
    const note = { text: "Ann knows", by: "ann", at: at(NOW) };
    const both = { ...muted(["errored"]), note };
    expect(presentMarks([both, muted(["hung"])], NOW + 60 * MINUTE)).toEqual([{ subject: "feed", note }]);
    expect(withMark([both], { subject: "feed", note: undefined }, NOW)).toMatchObject([muted(["errored"])]);
  });

  test.each([
    ["2h", NOW + 120 * MINUTE],
    ["92d", NOW + 92 * 24 * 60 * MINUTE],
    ["93d", undefined],
    ["0m", undefined],
    ["2026-11-27T15:00:00Z", NOW + 60 * MINUTE],
    ["2026-11-27T13:00:00Z", undefined],
    ["soon", undefined],
  ])("until %s", (text, expected) => {
    expect(readUntil(text, NOW)).toBe(expected);
  });

  test.each(["friday", "Monday"])("until the next %s is at nine in the morning, within a week", (day) => {
    const until = new Date(readUntil(day, NOW) ?? 0);
    expect(until.toLocaleDateString("en", { weekday: "long" }).toLowerCase()).toBe(day.toLowerCase());
    expect([until.getHours(), until.getMinutes()]).toEqual([9, 0]);
    expect(until.getTime() - NOW).toBeLessThanOrEqual(7 * 24 * 60 * MINUTE);
    expect(until.getTime()).toBeGreaterThan(NOW);
  });

  test("holds back the alert, which comes when it ends; one of another kind comes at once", () => {
    const condition = { rule: "not-online", subject: "feed (1)", app: "feed", kind: "errored", details: "" } as const;
    const holdOffs = readHoldOffs({ rules: {} });
    let state = INITIAL_STATE;
    const reported = (ms: number, kind: string, isMuted: boolean) => {
      const next = updateAlerts(state, [{ ...condition, kind }], ms, holdOffs, {
        isMuted: (one) => isMuted && one.kind === "errored",
      });
      ({ state } = next);
      return next.reports.map((report) => report.kind);
    };
    expect(reported(0, "errored", true)).toEqual([]);
    expect(reported(10 * MINUTE, "errored", true)).toEqual([]);
    expect(reported(11 * MINUTE, "hung", true)).toEqual(["hung"]);
    state = INITIAL_STATE;
    expect(reported(0, "errored", true)).toEqual([]);
    expect(reported(10 * MINUTE, "errored", false)).toEqual(["errored"]);
  });
});

test("each condition has the subject and the kind of its mute", () => {
  const { payload } = sample(0);
  const [first] = payload.processes;
  const problem = { code: "PROCESS_HUNG", details: "It does not answer." } as const;
  const ecosystem = { ...payload.ecosystem, missingExpected: ["gone"] };
  const processes = [{ ...first!, name: "web", state: "hung" as const, problem }];
  const found = findConditions({ kind: "metrics", payload: { ...payload, ecosystem, processes } }, new Map());
  expect(found.map(({ app, kind }) => `${app} ${kind}`)).toEqual(["gone missing", "web PROCESS_HUNG"]);
});

describe("over HTTP", () => {
  const post = async (server: Parameters<typeof ask>[0], path: string, body: object) =>
    await ask(server, path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("the present troubles are muted, audited, kept private, and read again after a restart", async () => {
    const files = repository();
    const telemetry = manualTelemetry();
    const given = sample(0);
    const processes = [{ ...given.payload.processes[0]!, name: "feed", state: "errored" as const }];
    Object.assign(telemetry, { collect: async () => ({ ...given, payload: { ...given.payload, processes } }) });
    const server = await testServer({ repository: files, world: withTelemetry(telemetry) });
    const { json } = await post(server, "/api/marks/mute", { subject: "feed", until: "2h", reason: "known" });
    expect(json.marks).toMatchObject([{ subject: "feed", mute: { kinds: ["errored"], reason: "known" } }]);
    const path = `${files.root}/.svcm/marks.json`;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(files.auditFile, "utf8")).toContain('"action":"mark.mute","target":"feed"');
    const calm = await post(server, "/api/marks/mute", { subject: "calm", until: "2h" });
    expect([calm.status, calm.json.code]).toEqual([409, "NOTHING_TO_MUTE"]);
    const late = await post(server, "/api/marks/mute", { subject: "feed", until: "yesterday" });
    expect(late.json.code).toBe("MUTE_TIME_INVALID");
    const noted = await post(server, "/api/marks/note", { subject: "feed", text: "Ann knows" });
    expect(noted.json.marks).toMatchObject([{ subject: "feed", note: { text: "Ann knows" }, mute: {} }]);
    const again = await testServer({ repository: files });
    const unread = await post(again, "/api/marks/mute", { subject: "calm", until: "2h" });
    expect([unread.status, unread.json.code]).toEqual([500, "PM2_NOT_RUNNING"]);
    const { json: read } = await ask(again, "/api/marks");
    expect(read.marks).toEqual(noted.json.marks);
    await post(again, "/api/marks/mute", { subject: "feed" });
    const { json: ended } = await post(again, "/api/marks/note", { subject: "feed", text: "" });
    expect(ended.marks).toEqual([]);
  });

  test("a damaged file is refused, and says so", async () => {
    const files = repository();
    const server = await testServer({ repository: files });
    await post(server, "/api/marks/note", { subject: "feed", text: "Ann knows" });
    writeFileSync(`${files.root}/.svcm/marks.json`, "{");
    const { status, json } = await ask(server, "/api/marks");
    expect([status, json.error]).toEqual([500, "Mutes and notes could not be read or written."]);
  });
});
