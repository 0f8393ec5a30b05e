/** The notes of svcm beside PM2's files, the pids that PM2 writes, and the kernel's log. */
import { once } from "node:events";
import { mkdirSync, readdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Sighting } from "../../../src/core/events/sightings.ts";
import { kernelOf, killIn, killsInLog, nodeSightings } from "../../../src/core/events/sightings.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const command = (atMs: number): Sighting => ({
  type: "command",
  atMs,
  pmId: 0,
  verb: "restart",
  user: "ann",
  command: "7-1",
  isNamed: true,
});

function world() {
  const pm2Home = temporaryFolder();
  const sightings = nodeSightings({ pm2Home, auditFile: join(pm2Home, "audit", "audit.jsonl") });
  return { pm2Home, sightings };
}

test("what was noted is read from a time on, oldest first, also from the file before the newest one", async () => {
  const { pm2Home, sightings } = world();
  expect(await sightings.readSince(0)).toEqual([]);
  await sightings.append([command(1), command(2)]);
  await sightings.append([{ type: "memory-kill", atMs: 3, pmId: 1, isNamed: false }]);
  const times = async (sinceMs: number) => (await sightings.readSince(sinceMs)).map(({ atMs }) => atMs);
  expect(await sightings.readSince(1)).toMatchObject([command(1), command(2), { type: "memory-kill" }]);
  expect(await times(2)).toEqual([2, 3]);
  const folder = join(pm2Home, ".svcm");
  const long = { ...command(4), user: "a".repeat(2 ** 16) };
  await sightings.append(Array.from({ length: 17 }, () => long));
  await sightings.append([command(5)]);
  expect(readdirSync(folder).filter((name) => name.startsWith("sightings"))).toHaveLength(2);
  expect(await times(1)).toEqual([1, 2, 3, ...Array.from({ length: 17 }, () => 4), 5]);
});

test("a line that is not a note is left out", async () => {
  const { pm2Home, sightings } = world();
  await sightings.append([command(1)]);
  writeFileSync(join(pm2Home, ".svcm/sightings.jsonl"), `damaged\n${JSON.stringify(command(7))}\n`);
  expect(await sightings.readSince(0)).toEqual([command(7)]);
});

test("the pids are those of the files that PM2 names by its numbers", async () => {
  const { pm2Home, sightings } = world();
  expect(await sightings.readPids()).toEqual(new Map());
  const pids = join(pm2Home, "pids");
  mkdirSync(join(pids, "folder-9.pid"), { recursive: true });
  const files = {
    "api-0.pid": "77",
    "web-2-12.pid": "78\n",
    "other.pid": "5",
    "x-3.pid": "",
    "y-4.pid": "no",
    "z-5.pid": "1.5",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(pids, name), text);
  expect(await sightings.readPids()).toEqual(
    new Map([
      [0, 77],
      [12, 78],
    ]),
  );
});

test("a change of PM2's log or of a note is noticed, and one of another file is not", async () => {
  const { pm2Home, sightings } = world();
  let count = 0;
  let notice = (): void => undefined;
  const noticed = new Promise<void>((done) => (notice = done));
  const stop = sightings.watch(() => {
    count += 1;
    notice();
  });
  writeFileSync(join(pm2Home, "dump.pm2"), "[]");
  const other = once(watch(pm2Home), "change", { signal: AbortSignal.timeout(10_000) });
  writeFileSync(join(pm2Home, "pm2.log.old"), "x");
  await other;
  expect(count).toBe(0);
  writeFileSync(join(pm2Home, "pm2.log"), "x");
  await noticed;
  stop();
  expect(count).toBeGreaterThan(0);
});

test.each([
  [
    "6,1234,5000000,-;Out of memory: Killed process 4711 (node /srv/api) total-vm:1kB, anon-rss:1kB",
    { pid: 4711, name: "node /srv/api" },
  ],
  [
    "3,7,5000000,-,caller=T1;Memory cgroup out of memory: Killed process 12 (node), UID 0\n SUBSYSTEM=x",
    { pid: 12, name: "node" },
  ],
  ["6,1,5000000,-;[1] out of memory: Killed process 13", { pid: 13, name: undefined }],
])("a record of the kernel is a kill: %j", (record, kill) => {
  expect(killIn(record, 1000)).toEqual([{ atMs: 6000, ...kill }]);
});

test.each([
  "6,1,5,-;eth0: link up",
  "",
  "Out of memory: Killed process 4711 (node)",
  "6,1,5,-;x\nOut of memory: Killed process 4711 (node)",
])("a record is not a kill: %j", (record) => {
  expect(killIn(record, 1000)).toEqual([]);
});

test.runIf(process.platform === "linux")("the kernel says when it began", async () => {
  const { bootedMs = 0 } = await world().sightings.readKernel();
  expect(bootedMs).toBeGreaterThan(0);
  expect(bootedMs % 1000).toBe(0);
  expect(bootedMs).toBeLessThan(Date.now());
});

test.each([
  ["btime 1000\n", "oom_kill 3\n", { bootedMs: 1_000_000, kills: 3, logged: [] }, [1_000_000]],
  ["btime 1000\n", "oom_kill 0\n", { bootedMs: 1_000_000, kills: 0 }, []],
  ["btime 1000\n", "", { bootedMs: 1_000_000 }, []],
  ["", "oom_kill 3\n", { kills: 3 }, []],
])("the kernel's log is read if its counters %j and %j show a kill", (stat, vmstat, kernel, reads) => {
  const read: number[] = [];
  const known = kernelOf(`cpu 1\n${stat}`, `pgpgin 7\n${vmstat}`, (bootedMs) => (read.push(bootedMs), []));
  expect([known, read]).toEqual([kernel, reads]);
});

test("the kernel's log has kills among other records, up to its end, and may not be readable", () => {
  const folder = temporaryFolder();
  const log = join(folder, "kmsg");
  const record = (text: string) => text.padEnd(8192, "\n");
  const kill = (pid: number) => record(`6,1,5000000,-;Out of memory: Killed process ${pid} (node) x`);
  writeFileSync(log, kill(11) + record("6,1,5,-;eth0: link up") + kill(12));
  expect(killsInLog(log, 0)).toEqual([11, 12].map((pid) => ({ atMs: 5000, pid, name: "node" })));
  writeFileSync(log, "");
  expect([killsInLog(log, 0), killsInLog(join(folder, "gone"), 0)]).toEqual([[], undefined]);
});
