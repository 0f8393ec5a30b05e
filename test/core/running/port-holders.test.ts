import { expect, test } from "vitest";
import type { Listener } from "../../../src/core/files/reading.ts";
import { findHolder, findLeftOvers, holderText } from "../../../src/core/running/port-holders.ts";
import { record } from "../../support/process-record.ts";

const HOME = "/root/.pm2";
const api = { pm2Home: HOME, name: "api", pmId: 0 };
const running = record({ name: "api", pid: 20, status: "online" });
const other = record({ name: "web", pmId: 1, pid: 40, status: "online" });
const listener = (fields: Partial<Listener>): Listener => ({
  address: "::",
  port: 3000,
  waiting: 0,
  pid: 30,
  ancestors: [1],
  program: "node",
  origin: null,
  ...fields,
});

test.each<[string, string, Partial<Listener>]>([
  ["none", "the process itself", { pid: 20, ancestors: [2, 1] }],
  ["none", "a grandchild, as of npm and its shell", { ancestors: [21, 20, 2, 1], origin: api }],
  ["web, pid 41", "a child of another app", { pid: 41, ancestors: [40, 2, 1] }],
  ["node, pid 30", "a stranger", {}],
  ["node, pid 30, a left-over process of api", "a child that has outlived its parent", { origin: api }],
  ["node, pid 30, a left-over process of old", "the child of a deleted app", { origin: { ...api, name: "old" } }],
  ["node, pid 30", "the child of an app of another PM2", { origin: { ...api, pm2Home: "/srv/.pm2" } }],
  ["PM2 v7.0.4: God, pid 2", "PM2, which an app has started", { pid: 2, program: "PM2 v7.0.4: God", origin: api }],
])("%s holds the port: %s", (expected, _what, fields) => {
  const machine = { all: [running, other], listeners: [listener(fields)], pm2Home: HOME };
  const holder = findHolder(3000, [running], machine);
  expect(holder === undefined ? "none" : holderText({ ...holder, app: holder.owner?.name ?? null })).toBe(expected);
  expect(findLeftOvers(machine).length > 0).toBe(expected.includes("left-over"));
});

test("another port is not the one that is taken", () => {
  expect(findHolder(80, [running], { all: [running], listeners: [listener({})], pm2Home: HOME })).toBeUndefined();
});
