import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/api/audit-record.ts";
import {
  attributeEvents as joined,
  recordedEvents,
  withReleaseApps,
} from "../../../src/core/events/attribute-events.ts";
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

describe("an apply in svcm's audit log", () => {
  const apply = (more: Partial<AuditRecord> = {}): AuditRecord => ({ ...RECORD, action: "plan.apply", ...more });
  const at = (seconds: number) => new Date(`${second(seconds)}.000`).toISOString();
  const step = (app: string, kind: "start" | "save" = "start") => ({
    do: kind,
    app,
    pmIds: [],
    phase: "done" as const,
  });
  const release = (seconds: number) => ({
    startedAt: at(seconds),
    steps: [step("api"), step("new"), step("", "save")],
  });
  const namesOf = (record: AuditRecord, seconds = 3) =>
    withReleaseApps([record], [release(seconds)], HOME)[0]?.processes?.map(({ name }) => name);

  test("also started the apps that its release names, each once", () => {
    expect(namesOf(apply())).toEqual(["api", "new"]);
    const none = apply();
    expect(withReleaseApps([none], [], HOME)).toEqual([none]);
  });

  test.each<[string, AuditRecord, number]>([
    ["an apply that was refused", apply({ outcome: "refused" }), 3],
    ["another action", RECORD, 3],
    ["an apply before it", apply(), 4],
    ["an apply after it", apply(), 1],
  ])("%s started none of them", (_what, record, seconds) => {
    expect(namesOf(record, seconds)).toEqual(["api"]);
  });

  test("and the other records are one event for each process, and none for a proposal", () => {
    const kinds = (record: AuditRecord) => recordedEvents(record).map(({ event }) => `${event.app} ${event.kind}`);
    expect(
      kinds(apply({ processes: [...(RECORD.processes ?? []), { name: "web", pmId: 1, pm2Home: "/other" }] })),
    ).toEqual(["api apply", "web apply"]);
    expect(kinds({ ...RECORD, action: "process.restart" })).toEqual(["api action"]);
    expect(kinds({ ...RECORD, action: "deploy.run", target: "commit 4a91c77" })).toEqual(["api deploy"]);
    const { processes: _none, ...write } = RECORD;
    expect(kinds({ ...write, action: "env.write" })).toEqual(["null write"]);
    expect(kinds({ ...write, action: "proposal.approve" })).toEqual([]);
  });

  test.each([
    ["succeeded", "Deployed commit 4a91c77 by deploy (cli)."],
    ["started", "The deploy of commit 4a91c77 by deploy (cli) was interrupted."],
    ["failed", "The deploy of commit 4a91c77 by deploy (cli) failed."],
    ["refused", "The deploy of commit 4a91c77 by deploy (cli) was refused."],
  ] as const)("a deploy that %s says so", (outcome, text) => {
    const [found] = recordedEvents({ ...RECORD, action: "deploy.run", target: "commit 4a91c77", outcome });
    expect(found?.event.evidence[0]).toBe(text);
  });
});
