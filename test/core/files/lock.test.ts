import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fileLocks } from "../../../src/core/files/lock.ts";
import { lockName } from "../../../src/core/files/takeover.ts";
import { commandLine, run } from "../../support/child.ts";
import { lockPlace, SELF } from "../../support/lock-place.ts";
import { longTest } from "../../support/runs.ts";

describe("file lock", () => {
  longTest("8 processes that each increment a number 25 times lose no increment", async () => {
    const { target, names } = lockPlace();
    writeFileSync(target, "0");
    await Promise.all(Array.from({ length: 8 }, () => run(commandLine("increment", target, "25"))));
    expect(readFileSync(target, "utf8")).toBe("200");
    expect(names()).toEqual([".env"]);
  });

  test("calls of one instance get the lock in order, even if an earlier call fails", async () => {
    const { target } = lockPlace();
    const locks = fileLocks();
    const order: number[] = [];
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    const holds = numbers.map((number) =>
      locks.withLock({ target, path: target }, async () => {
        order.push(number);
        await Promise.resolve();
        order.push(number);
        if (number === 2) throw new Error("of the second");
      }),
    );
    const results = await Promise.allSettled(holds);
    expect(order).toEqual(numbers.flatMap((number) => [number, number]));
    expect(results.map(({ status }) => status === "rejected")).toEqual(numbers.map((number) => number === 2));
  });

  test("the lock file names its process and is removed afterwards", async () => {
    const { hold, lock, names } = lockPlace();
    const during = await hold(async () => names());
    expect(during).toEqual([lockName(".env"), ".env"]);
    expect(existsSync(lock)).toBe(false);
    expect(names()).toEqual([".env"]);
  });

  test("a caller that waits too long gets ELOCKED with the process and the lock file", async () => {
    const { target, lock } = lockPlace();
    const [first, second] = [fileLocks(), fileLocks({ timeoutMs: 20 })];
    const file = { target, path: "as/given" };
    await first.withLock(file, async () => {
      await expect(second.withLock(file, async () => "held")).rejects.toMatchObject({
        name: "FileError",
        code: "ELOCKED",
        path: "as/given",
        message: expect.stringMatching(
          new RegExp(`process ${process.pid} on ${SELF.host} since [0-9TZ:.-]+ holds ${lock}`),
        ) as string,
      });
    });
    expect(await second.withLock(file, async () => "held")).toBe("held");
  });

  test("a queued caller that waits too long gets ELOCKED, and the queue continues", async () => {
    const { target } = lockPlace();
    const locks = fileLocks({ timeoutMs: 20 });
    const file = { target, path: "as/given" };
    await locks.withLock(file, async () => {
      await expect(locks.withLock(file, async () => "held")).rejects.toMatchObject({ code: "ELOCKED" });
    });
    expect(await locks.withLock(file, async () => "held")).toBe("held");
  });

  test.each(["the same", "another"])("a waiting caller of %s instance can be aborted", async (which) => {
    const { target, names } = lockPlace();
    const first = fileLocks();
    const second = which === "another" ? fileLocks() : first;
    const file = { target, path: target };
    await first.withLock(file, async () => {
      for (let ms = 0; ms < 12; ms++) {
        const caller = new AbortController();
        const waiting = second.withLock(file, async () => "held", caller.signal);
        setTimeout(() => caller.abort(), ms); // while it tries, or while it waits to try again
        await expect(waiting).rejects.toMatchObject({ code: "ELOCKED" });
      }
    });
    expect(await second.withLock(file, async () => "held")).toBe("held");
    expect(names()).toEqual([".env"]);
  });
});
