import { describe, expect, test } from "vitest";
import { daemonReport } from "../../../src/core/boot/examine.ts";
import type { DaemonFacts } from "../../../src/core/boot/facts.ts";
import type { DaemonProcess } from "../../../src/core/pm2/port-daemons.ts";
import { daemon, daemonFacts, online, saved } from "./facts.ts";

describe("the daemon", () => {
  const passing = (fields: Partial<DaemonProcess> = {}): Partial<DaemonFacts> => ({
    daemons: [daemon({ secretNames: ["API_TOKEN"], ...fields })],
    saved: saved([online({ execMode: "cluster" })]),
  });
  const rows: readonly (readonly [string, Partial<DaemonFacts>, readonly string[]])[] = [
    ["is well", {}, []],
    ["cannot be seen", { daemons: undefined, nodeVersion: null }, []],
    ["lost its Node.js", { daemons: [daemon({ nodeFile: "gone" })] }, ["DAEMON_NODE_GONE"]],
    ["had its Node.js replaced", { daemons: [daemon({ nodeFile: "replaced" })] }, []],
    ["of another home lost its Node.js", { daemons: [daemon({ nodeFile: "gone", isOwn: false })] }, []],
    ["is older than the library", { daemons: [daemon({ pm2Version: "5.4.3" })] }, ["DAEMON_OLDER"]],
    ["is newer than the library", { daemons: [daemon({ pm2Version: "8.0.0" })] }, []],
    ["is suspended", { daemons: [daemon({ isSuspended: true })] }, ["DAEMON_SUSPENDED"]],
    ["runs as root", { daemons: [daemon({ uid: 0 })] }, ["DAEMON_ROOT"]],
    ["has a secret, and no app inherits it", { daemons: [daemon({ secretNames: ["API_TOKEN"] })] }, []],
    ["passes on a secret", passing(), ["DAEMON_SECRETS"]],
    ["has no secret that an app would inherit", passing({ secretNames: [] }), []],
    ["passes on the variables of its container", passing({ isForeground: true }), []],
    ["has a second one beside it", { daemons: [daemon(), daemon({ pid: 78 })] }, ["DAEMON_SEVERAL"]],
    ["runs an old Node.js", { wantedNode: { range: ">=22", file: "package.json" } }, ["DAEMON_NODE_OUTDATED"]],
    ["runs what .nvmrc asks for", { wantedNode: { range: "20", file: ".nvmrc" } }, []],
    ["meets a range that svcm does not read", { wantedNode: { range: "lts/iron", file: ".nvmrc" } }, []],
    [
      "has a list that others may read",
      { saved: saved([], { publicFiles: ["/home/deploy/.pm2/dump.pm2"] }) },
      ["DUMP_READABLE"],
    ],
  ];
  test("with a second one beside it names the one whose apps no list has", () => {
    const daemons = [daemon(), daemon({ pid: 78 })];
    const found = (lost: readonly number[]) => daemonReport(daemonFacts({ daemons, lost })).findings;
    expect(found([78])).toMatchObject([
      { message: expect.stringMatching(/: pid 77, 78; PM2's list lacks the apps of pid 78$/), command: "kill 78" },
    ]);
    expect(found([])).toMatchObject([
      { message: expect.stringMatching(/: pid 77, 78$/), command: "svcm explain DAEMON_SEVERAL" },
    ]);
  });
  test.each(rows)("%s", (_name, facts, codes) => {
    expect(daemonReport(daemonFacts(facts)).findings.map(({ code }) => code)).toEqual(codes);
  });
});
