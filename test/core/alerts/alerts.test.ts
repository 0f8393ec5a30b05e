/** The commands about alerts: a test message, what is muted for how long, and notes. */
import { describe, expect, test } from "vitest";
import { alertsTest, markList, markMute, markNote } from "../../../src/core/alerts/operations/alerts.ts";
import type { Mark } from "../../../src/core/api/alerts.ts";
import type { Caller } from "../../../src/core/access/operation.ts";
import { hostSample, sample } from "../../server/socket/hand-telemetry.ts";

const NOW = Date.parse("2026-11-27T08:00:00.000Z");
const AMY: Caller = { source: "cli", actor: "amy", grants: ["read", "write", "act"] };

function world(of: object = sample(0)) {
  let stored: readonly Mark[] = [];
  const audits: object[] = [];
  const ports = {
    clock: { now: () => NOW, elapsed: () => 0 },
    audit: { append: async (one: object) => void audits.push(one), newest: async () => ({ records: [] }) },
    host: { randomId: () => "0" },
    telemetry: { collect: async () => of },
    marks: async () => ({
      read: async () => stored,
      change: async (next: (before: readonly Mark[]) => readonly Mark[]) => (stored = next(stored)),
    }),
  };
  return { ports: ports as never, audits };
}

describe("a test message", () => {
  const send = async (alerts: object | undefined) => {
    const sent: string[] = [];
    const ports = {
      clock: { now: () => NOW },
      host: { hostName: () => "m1", name: () => "m1" },
      workspace: { root: "/srv", pm2Home: "/pm2" },
      facts: { project: async () => (alerts === undefined ? undefined : { alerts }) },
      notifier: {
        send: async () => void sent.push("message"),
        sendHeartbeat: async () => void sent.push("heartbeat"),
      },
    };
    const answer = await alertsTest.run(ports as never, {}, AMY).catch((error: unknown) => error);
    return { answer, sent };
  };

  test("goes to everything that is declared", async () => {
    const { answer, sent } = await send({ webhook: "URL", heartbeat: "OTHER" });
    expect([answer, sent]).toEqual([{ sent: ["webhook", "heartbeat"] }, ["message", "heartbeat"]]);
  });

  test.each([undefined, {}])("is refused if svcm.yaml has only %j for alerts", async (alerts) => {
    const { answer, sent } = await send(alerts);
    expect(answer).toMatchObject({ kind: "ALERT_FAILED", body: { code: "ALERTS_NOT_DECLARED" } });
    expect(sent).toEqual([]);
  });
});

describe("a mute", () => {
  const mute = { subject: "api", until: "2h", kinds: ["down"], reason: "migration" };

  test("says by whom, until when and why, and ends with a second call or with its time", async () => {
    const { ports, audits } = world();
    const { marks } = await markMute.run(ports, mute, AMY);
    expect(marks).toMatchObject([
      {
        subject: "api",
        mute: {
          kinds: ["down"],
          until: "2026-11-27T10:00:00.000Z",
          by: "amy",
          at: "2026-11-27T08:00:00.000Z",
          reason: "migration",
        },
      },
    ]);
    expect((await markList.run(ports, {}, AMY)).marks).toEqual(marks);
    expect(audits.slice(-1)).toMatchObject([{ action: "mark.mute", target: "api", outcome: "succeeded" }]);
    expect((await markMute.run(ports, { subject: "api" }, AMY)).marks).toEqual([]);
    expect(audits.at(-1)).toMatchObject({ action: "mark.unmute" });
  });

  test("is by the source of the call if that has no name, and needs no reason", async () => {
    const { ports } = world();
    const { marks } = await markMute.run(
      ports,
      { ...mute, reason: undefined },
      {
        source: "http",
        grants: [],
      },
    );
    expect(marks[0]?.mute).toMatchObject({ by: "http" });
    expect(marks[0]?.mute).not.toHaveProperty("reason");
  });

  test("without kinds is refused if there is no trouble, or if PM2 does not say so", async () => {
    const refusal = async (of: object, until = "2h") =>
      await markMute.run(world(of).ports, { subject: "nothing", until }, AMY).catch((error: unknown) => error);
    expect(await refusal(sample(0))).toMatchObject({ kind: "MARK_REFUSED", body: { code: "NOTHING_TO_MUTE" } });
    expect(await refusal(hostSample)).toMatchObject({ kind: "PM2_FAILED" });
    expect(await refusal(sample(0), "yesterday")).toMatchObject({
      body: {
        code: "MUTE_TIME_INVALID",
        details: expect.stringContaining('"yesterday" is not a time to come, at most 92 days'),
      },
    });
  });

  test("without kinds is of the present troubles", async () => {
    const { payload, ...rest } = sample(0) as { payload: { host: object } };
    const disk = [{ path: "/data", availableBytes: 1, totalBytes: 10 ** 12 }];
    const full = { ...rest, payload: { ...payload, host: { ...payload.host, disk } } };
    const { marks } = await markMute.run(world(full).ports, { subject: "/data", until: "2h" }, AMY);
    expect(marks[0]?.mute?.kinds).toEqual([expect.stringContaining("disk")]);
  });
});

test("a note stays until an empty one", async () => {
  const { ports } = world();
  const { marks } = await markNote.run(ports, { subject: "api", text: "look at it" }, AMY);
  expect(marks).toMatchObject([{ subject: "api", note: { text: "look at it", by: "amy" } }]);
  expect((await markNote.run(ports, { subject: "api", text: "" }, AMY)).marks).toEqual([]);
});
