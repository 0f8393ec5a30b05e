/** PM2_HOME on a real disk without space. PM2's daemon ends with every app if it cannot write pm2.log. */
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { auditList, eventWhy, execute, logsPrune, logsUsage, processAct, type Caller } from "../../src/core/index.ts";
import { SvcmError } from "../../src/core/api/errors.ts";
import { ext4Image } from "../support/ext4-image.ts";
import { canLoopMount, canMount, mount } from "../support/machine.ts";
import { endProcesses, IDLE, pm2 } from "../support/pm2-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "act", "logs", "admin"] };
const own = pm2();
const ports = own.ports();
afterAll(() => own.end());

/** Also the rest of each file's last block, which takes an appended line on a full disk. */
function fill(folder: string, ...files: string[]): void {
  for (const [path, bytes] of [...files.map((file) => [file, 1] as const), [join(folder, "ballast"), 1024] as const]) {
    const fd = openSync(path, "a");
    const chunk = Buffer.alloc(bytes, "\n");
    const isFull = (): boolean => {
      try {
        return writeSync(fd, chunk) === 0;
      } catch {
        return true;
      }
    };
    while (!isFull());
    closeSync(fd);
  }
}

const restart = (): Promise<unknown> => execute(processAct, ports, { action: "restart", name: "api" }, caller);
const pids = async (): Promise<unknown[]> => (await ports.processes.list()).map(({ pid }) => pid);

test.skipIf(!canMount)("without space for a line in pm2.log, no action begins (needs root and mount)", async () => {
  const home = join(temporaryFolder(), "home");
  mount(home, "-t", "tmpfs", "-o", "size=64k", "tmpfs");
  const link = own.link({ env: { PM2_HOME: home } });
  writeFileSync(join(home, "ballast"), Buffer.alloc(60 * 1024));
  expect(await link.withLock("start", () => Promise.resolve("begun"))).toBe("begun");
  fill(home);
  await expect(link.withLock("start", () => Promise.resolve("begun"))).rejects.toMatchObject({
    body: { code: "ENOSPC", hint: expect.stringContaining("svcm logs prune --heads") as string },
  });
});

longTest.skipIf(!canMount)(
  "why names the full file system in which only the app is (needs root and mount)",
  async () => {
    const other = pm2();
    const at = join(temporaryFolder(), "data");
    mount(at, "-t", "tmpfs", "-o", "size=64k,nr_inodes=8", "tmpfs");
    onTestFinished(() => other.end());
    await other.startDaemon();
    const write = 'require("node:fs").writeFileSync("ballast", Buffer.alloc(1e6))';
    await other.run({
      name: "cache",
      cwd: at,
      code: `try { ${write} } catch {} process.send("ready");${IDLE}`,
      wait_ready: true,
    });
    const now = async () => (await execute(eventWhy, other.ports(), { name: "cache" }, caller)).now;
    const full = `The file system of ${at} is full: 0.0 GB of 0.1 MB are free.`;
    expect(await now()).toEqual([full]);
    rmSync(join(at, "ballast"));
    for (let count = 0; count < 7; count += 1) writeFileSync(join(at, String(count)), "");
    expect(await now()).toEqual([`The file system of ${at} has no free inodes, so no file can be created in it.`]);
  },
);

longTest.skipIf(!canLoopMount)(
  "on a full disk svcm acts on no process until its own command has freed space (needs root and a loop mount)",
  async () => {
    const { at } = ext4Image(temporaryFolder(), own.home);
    // Before the unmount.
    onTestFinished(async () => {
      await Promise.all([ports.logs.close(), ports.processes.close()]);
      endProcesses(own.home);
    });
    await own.startDaemon();
    await own.run({ name: "api" });
    await own.run({ name: "web" });
    writeFileSync(join(own.home, "logs/api-out.log"), "a line of a log\n".repeat(2 ** 17));
    await restart();
    await execute(logsUsage, ports, {}, caller);
    fill(at);
    fill(at, join(own.home, ".svcm/audit.jsonl"), join(own.home, "pm2.log"));

    const before = await pids();
    const refused = await restart().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SvcmError);
    expect((refused as SvcmError).body.code).toBe("ENOSPC");
    expect(await pids()).toEqual(before);
    expect((await execute(logsUsage, ports, {}, caller)).issues.map(({ code }) => code)).toContain("LOG_DISK_FULL");

    const pruned = await execute(logsPrune, ports, { apply: true, heads: true }, caller);
    expect(pruned).toMatchObject({ problems: [], heads: [{ bytes: expect.any(Number) as number }] });
    const records = await execute(auditList, ports, {}, caller);
    expect(JSON.stringify(records)).toContain("logs.prune");

    await restart();
    const [api, web] = await pids();
    expect([api === before[0], web === before[1]]).toEqual([false, true]);
    rmSync(join(at, "ballast"));
  },
);
