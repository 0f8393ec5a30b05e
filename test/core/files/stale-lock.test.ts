import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claimName, lockName, newNonce, serializeHolder, temporaryName } from "../../../src/core/files/takeover.ts";
import type { UniqueProcess } from "../../../src/core/files/proc.ts";
import { commandLine, run, start } from "../../support/child.ts";
import { leave, lockPlace, NOBODYS_PID, SELF, startTogether } from "../../support/lock-place.ts";
import { canUnshare, isLinux } from "../../support/machine.ts";
import { propertyRuns, longTest } from "../../support/runs.ts";

/** A single attempt, without waiting. */
const AT_ONCE = 0;
const OTHER_BOOT: Partial<UniqueProcess> = { bootId: "00000000-0000-0000-0000-000000000000" };

describe("a stale lock is taken over", () => {
  test("immediately if its holder was killed", async () => {
    const { target, hold, names } = lockPlace(AT_ONCE);
    const [child] = await startTogether(1, target, "wait");
    expect(await child?.line()).toBe("held");
    await expect(hold(async () => "too early")).rejects.toMatchObject({ code: "ELOCKED" });
    child?.kill();
    await child?.ended;
    expect(await hold(async () => "held")).toBe("held");
    expect(names()).toEqual([".env"]);
  });

  test.skipIf(!isLinux)("even if the parent of the holder has not waited for it (needs /proc)", async () => {
    const { target, hold } = lockPlace();
    // The shell becomes `sleep` and never waits for the child that it started before.
    const [node = "", ...args] = commandLine("hold-and-die", target, "kill");
    const script = `"$@" <&3 & echo $!; exec sleep 1000`;
    const shell = start(["sh", "-c", `exec 3<&0; ${script}`, "sh", node, ...args]);
    const pid = Number(await shell.line());
    expect(await shell.line()).toBe("ready");
    shell.send("go");
    expect(await shell.line()).toBe("held");
    expect(await hold(async () => readFileSync(`/proc/${pid}/stat`, "utf8"))).toContain(") Z ");
    shell.kill();
  });

  test.skipIf(!isLinux).each([
    ["a process that had the same number", { startTime: "1" }],
    ["a process before a restart of the machine", OTHER_BOOT],
    ["a process whose number is free", { pid: NOBODYS_PID }],
  ])("%s (needs /proc)", async (_, difference) => {
    const { hold, lock, names } = lockPlace(AT_ONCE);
    leave(lock, difference);
    expect(await hold(async () => names())).toEqual([lockName(".env"), ".env"]);
    expect(names()).toEqual([".env"]);
  });

  test.skipIf(!isLinux)("after five minutes, if its holder is in another container (needs /proc)", async () => {
    const { hold, lock, names } = lockPlace(AT_ONCE);
    const elsewhere = { pidNamespace: "pid:[1]", pid: NOBODYS_PID };
    leave(lock, elsewhere, Date.now() - 600_000);
    expect(await hold(async () => "held")).toBe("held");
    leave(lock, elsewhere, Date.now() - 60_000);
    await expect(hold(async () => "held")).rejects.toMatchObject({ code: "ELOCKED" });
    expect(names()).toEqual([lockName(".env"), ".env"]);
  });

  test("but not the lock of a running holder", async () => {
    expect(await holdBeside()).toEqual(["ELOCKED", "held"]);
  });

  test.skipIf(!canUnshare)(
    "but not from a running holder if /proc belongs to another namespace (needs root and unshare)",
    async () => {
      expect(await holdBeside("unshare", "--pid", "--fork")).toEqual(["ELOCKED", "held"]);
    },
  );

  test("also without start times and boot IDs", async () => {
    const { hold, lock } = lockPlace(AT_ONCE);
    leave(lock, { pid: NOBODYS_PID, startTime: null, bootId: null });
    expect(await hold(async () => "held")).toBe("held");
  });

  test("also if processes were killed during the takeover", async () => {
    const { hold, lock, names } = lockPlace(AT_ONCE);
    const dead = { pid: NOBODYS_PID };
    const first = leave(lock, dead);
    const second = leave(claimName(lock, first), dead);
    leave(claimName(lock, second), dead);
    expect(await hold(async () => "held")).toBe("held");
    expect(names()).toEqual([".env"]);
  });

  test("also if its successor was killed before it removed its claim", async () => {
    const { hold, lock, names } = lockPlace(AT_ONCE);
    const dead = { ...SELF, pid: NOBODYS_PID };
    const [first, second] = [newNonce(), newNonce()];
    symlinkSync(serializeHolder(second, dead), lock);
    symlinkSync(serializeHolder(second, dead), claimName(lock, first));
    expect(await hold(async () => "held")).toBe("held");
    expect(names()).toEqual([".env"]);
  });

  test("and the files of the dead holder are removed, those of others stay", async () => {
    const { target, hold, lock, names } = lockPlace(AT_ONCE);
    leave(lock, { pid: NOBODYS_PID });
    for (const litter of [temporaryName(target, "1-2-ab"), claimName(lock, "1-2-ab"), claimName(lock, "1-2-ab.next")]) {
      writeFileSync(litter, "");
    }
    const kept = ["..env.dev.svcm-lock", "..env.dev.svcm-new.1-2-ab", ".env.svcm-new.1-2-ab"];
    for (const name of kept) writeFileSync(join(target, "..", name), "");
    await hold(async () => undefined);
    expect(names()).toEqual([...kept, ".env"].toSorted());
  });

  longTest("by one process at a time, even if many processes find it stale and are killed", async () => {
    const { target, hold, lock, names } = lockPlace();
    leave(lock, { pid: NOBODYS_PID });
    const children = await startTogether(8, target, "kill");
    const ends = await Promise.all(children.map(({ ended }) => ended));
    expect(ends.map(({ signal }) => signal)).toEqual(Array(8).fill("SIGKILL"));
    const pids = readFileSync(target, "utf8").trim().split("\n").map(Number);
    expect(new Set(pids)).toEqual(new Set(children.map(({ pid }) => pid)));
    expect(pids).toHaveLength(8);
    await hold(async () => undefined);
    expect(names()).toEqual([".env"]);
  });

  test("by one process at a time, in many rounds with many processes", async () => {
    const { hold, lock, names } = lockPlace();
    let inside = 0;
    let most = 0;
    let holds = 0;
    const { numRuns } = propertyRuns(30, 100);
    for (let round = 0; round < numRuns; round++) {
      const first = leave(lock, { pid: NOBODYS_PID });
      if (round % 2) leave(claimName(lock, first), { pid: NOBODYS_PID });
      const enter = async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        holds++;
      };
      await Promise.all(Array.from({ length: 8 }, () => hold(enter)));
    }
    expect({ most, holds }).toEqual({ most: 1, holds: 8 * numRuns });
    expect(names()).toEqual([".env"]);
  });
});

describe("a holder that cannot be verified keeps its lock", () => {
  test.each([
    ["a process of another pid namespace", { pidNamespace: "pid:[1]", pid: NOBODYS_PID }],
    ["a process of another host", { ...OTHER_BOOT, host: "another", pid: NOBODYS_PID }],
  ])("%s", async (_, difference) => {
    const { hold, lock, names } = lockPlace(20);
    leave(lock, difference);
    await expect(hold(async () => "held")).rejects.toMatchObject({
      code: "ELOCKED",
      message: expect.stringContaining("if it ended elsewhere, remove the file") as string,
    });
    expect(names()).toEqual([lockName(".env"), ".env"]);
  });

  test.each(["", "no holder", "../../x:1::1:::a", "a:1::1::", "a:1::1:::"])(
    "a file of that name with the content %j",
    async (content) => {
      const { hold, lock, names } = lockPlace(20);
      if (content === "") writeFileSync(lock, content);
      else symlinkSync(content, lock);
      await expect(hold(async () => "held")).rejects.toMatchObject({ code: "ELOCKED" });
      expect(names()).toEqual([lockName(".env"), ".env"]);
    },
  );
});

/** The state of a lock as its parent process sees it, while the child holds the lock and after the child was killed. */
async function holdBeside(...wrapper: string[]): Promise<string[]> {
  const { target, names } = lockPlace();
  const [script = ""] = commandLine("hold-and-die").slice(-1);
  const seen = await run([...wrapper, ...commandLine("hold-beside", script, target)]);
  expect(names()).toEqual([".env"]);
  return seen;
}
