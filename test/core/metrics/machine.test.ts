import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { freemem, hostname, release, totalmem } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFileStamps } from "../../../src/core/files/index.ts";
import { DiskReader, querySystem } from "../../../src/core/metrics/machine/disks.ts";
import { nodeMachine } from "../../../src/core/metrics/machine/index.ts";
import { openPortable } from "../../../src/core/metrics/machine/portable.ts";
import { processCpuPercent } from "../../../src/core/running/read-usage.ts";
import { asNobody, canBeNobody, isLinux } from "../../support/machine.ts";
import { commandLine, run, start } from "../../support/child.ts";
import { onDisk, temporaryFolder } from "../../support/temporary-folder.ts";
import { longTest } from "../../support/runs.ts";

async function reader(diskPaths: readonly string[] = ["/"]) {
  const opened = await nodeMachine({ diskPaths }).openReader();
  onTestFinished(() => opened.close());
  return opened;
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

interface Used {
  readonly cpuMs: number;
  readonly rssBytes: number;
}

describe.runIf(isLinux)("Linux", () => {
  test("a process's CPU time and memory match its own report", async () => {
    const machine = await reader();
    const child = start(commandLine("burn"));
    await child.line();
    const measure = async (): Promise<Used> => {
      child.send("how much?");
      return JSON.parse((await child.line()) ?? "") as Used;
    };
    // The child keeps using CPU time, so its own reports are below and above the reading.
    const [a, first, b] = [await measure(), (await machine.processes([child.pid])).get(child.pid)!, await measure()];
    for (let used = b; used.cpuMs < b.cpuMs + 300; used = await measure());
    const [c, second, d] = [await measure(), (await machine.processes([child.pid])).get(child.pid)!, await measure()];
    const tickMs = 10;
    expect(first.cpuMs).toBeGreaterThanOrEqual(a.cpuMs - 2 * tickMs);
    expect(first.cpuMs).toBeLessThanOrEqual(b.cpuMs + 2 * tickMs);
    expect(second.cpuMs).toBeGreaterThanOrEqual(c.cpuMs - 2 * tickMs);
    expect(second.cpuMs).toBeLessThanOrEqual(d.cpuMs + 2 * tickMs);
    expect(processCpuPercent(first, second)).toBeGreaterThan(5);
    expect(second.rssBytes! / d.rssBytes).toBeGreaterThan(0.8);
    expect(second.rssBytes! / d.rssBytes).toBeLessThan(1.25);
  });

  test.each([
    [true, "waits for events", "setInterval(() => {}, 1e6);"],
    [false, "computes", "setImmediate(() => { for (;;); });"],
    [
      false,
      "is in a synchronous call",
      "setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));",
    ],
  ])("an event loop may be idle: %s if it %s", async (expected, _what, code) => {
    const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = child.pid ?? 0;
    const trees = (await nodeMachine({ diskPaths: [] }).openTrees())!;
    let same = 0;
    // While it starts, it computes and waits.
    await expect
      .poll(() => (same = trees.activity([pid]).get(pid)?.mayBeIdle === expected ? same + 1 : 0))
      .toBeGreaterThan(5);
  });

  test("the limits of a process are those of the system, and nothing is known of one that has ended", () => {
    const limits = nodeMachine({ diskPaths: [] }).systemLimits(process.pid);
    const [, openFiles] = /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    expect(limits).toMatchObject({ openFiles, processes: expect.any(String), addressSpace: expect.any(String) });
    expect(nodeMachine({ diskPaths: [] }).systemLimits(2 ** 30)).toMatchObject({ openFiles: null });
  });

  longTest(
    "an ended process is missing, before and after its parent waits for it, and its files are closed",
    async () => {
      const machine = await reader();
      const before = descriptors();
      // The parent of the inner shell never calls `wait`, so the child stays a zombie until the parent ends.
      const parent = spawn("/bin/sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(() => void parent.kill("SIGKILL"));
      const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once("data", resolve)));
      expect((await machine.processes([pid])).has(pid)).toBe(true);
      expect(descriptors()).toBeGreaterThan(before);
      process.kill(pid, "SIGKILL");
      while ((await machine.processes([pid])).has(pid)) await new Promise((resolve) => setImmediate(resolve));
      await machine.processes([]);
      const own = spawn("/bin/sh", ["-c", "exec sleep 1000"], { stdio: "ignore" });
      expect((await machine.processes([own.pid!])).has(own.pid!)).toBe(true);
      const ended = new Promise((resolve) => own.once("close", resolve));
      own.kill("SIGKILL");
      await ended;
      expect((await machine.processes([own.pid!])).size).toBe(0);
      parent.stdout.destroy();
    },
  );

  test("the number of open files is bounded, and they are closed", async () => {
    const before = descriptors();
    const machine = await nodeMachine({ diskPaths: [] }).openReader();
    const host = descriptors() - before;
    for (let round = 0; round < 50; round += 1) await machine.processes([process.pid]);
    expect(descriptors() - before - host).toBe(3);
    await machine.processes([]);
    expect(descriptors() - before).toBe(host);
    machine.close();
    expect(descriptors()).toBe(before);
  });

  test("the disk traffic of a process equals the bytes that it wrote", async () => {
    const machine = await reader();
    const before = (await machine.processes([process.pid])).get(process.pid)!.io;
    writeFileSync(join(temporaryFolder(undefined, onDisk()), "file"), Buffer.alloc(2 ** 20, 1), { flush: true });
    const after = (await machine.processes([process.pid])).get(process.pid)!.io;
    if ("code" in before || "code" in after) throw new Error("it cannot be read");
    expect(after.writeBytes - before.writeBytes).toBeGreaterThanOrEqual(2 ** 20);
  });

  longTest.runIf(canBeNobody)("traffic of another user's process is reported with a reason instead of 0", async () => {
    const [line = ""] = await run([...asNobody, ...commandLine("read-process", String(process.pid))]);
    expect(JSON.parse(line)).toMatchObject({ cpuMs: expect.any(Number), io: { supported: true, code: "EACCES" } });
  });

  test("the host matches the system's own report", async () => {
    const { cores, all, memory, loadAvg } = await (await reader()).host();
    expect(memory.totalBytes).toBe(totalmem());
    expect(memory.freeBytes! / freemem()).toBeGreaterThan(0.2);
    expect(cores.size).toBeGreaterThan(0);
    expect(all!.total).toBeGreaterThan(all!.busy);
    expect(loadAvg).toEqual({ one: expect.any(Number), five: expect.any(Number), fifteen: expect.any(Number) });
  });
});

test("each file system is listed once, and a missing path is left out", async () => {
  const folder = temporaryFolder();
  const disks = new DiskReader([folder, join(folder, "."), join(folder, "gone")], 60_000);
  expect(await disks.read()).toMatchObject([{ path: folder, blocks: expect.any(Number) }]);
});

longTest("systems without /proc are measured through Node and systeminformation", async () => {
  const machine = await openPortable(["/"], "elsewhere", querySystem());
  const { memory, cores } = await machine.host();
  expect(memory.totalBytes).toBeGreaterThan(2 ** 27);
  expect(cores.size).toBeGreaterThan(0);
  const reading = (await machine.processes([process.pid])).get(process.pid);
  expect(reading).toMatchObject({ cpuMs: null, cpuPercent: expect.any(Number), io: { supported: false } });
  expect(reading!.rssBytes).toBeGreaterThan(2 ** 20);
});

longTest("the constant facts of the machine are read once for all readers, and are null before that", async () => {
  const machine = nodeMachine({ diskPaths: ["/"] });
  const [one, other] = [await machine.openReader(), await machine.openReader()];
  onTestFinished(() => [one, other].forEach((opened) => opened.close()));
  expect(one.system).toBeNull();
  while (one.system === null) await new Promise((resolve) => setImmediate(resolve));
  expect(one.system).toMatchObject({ hostName: hostname(), architecture: expect.any(String), kernel: release() });
  expect(Date.parse(one.system.bootedAt ?? "")).toBeLessThan(Date.now());
  expect(other.system).toBe(one.system);
  expect(one.system.interfaces.flatMap(({ addresses }) => addresses)).not.toContain("127.0.0.1");
});

test("the stamp of a file changes with the file, and is null if the file is missing", () => {
  const file = join(temporaryFolder(undefined, onDisk()), "file");
  const stamp = () => nodeFileStamps.read([file])[0];
  expect(stamp()).toBeNull();
  writeFileSync(file, "a");
  const before = stamp();
  expect(stamp()).toEqual(before);
  writeFileSync(file, "bb");
  expect(stamp()!.id).not.toBe(before!.id);
});
