/** A PM2 of another user is refused with a code, and it can crash only the worker. */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { commandLine, run } from "../support/child.ts";
import { asNobody, canBeNobody, NOBODY } from "../support/machine.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const { own } = runningPm2();

beforeAll(async () => {
  await own.run({ name: "api" });
  chmodSync(own.folder, 0o755);
});

const asOther = (home: string): Promise<string[]> =>
  run([...asNobody, ...commandLine("list-processes")], { PM2_HOME: home, HOME: own.folder });

test.skipIf(!canBeNobody)("a socket without permission to connect is refused", async () => {
  expect(await asOther(own.home)).toEqual(["EACCES", "PM2_HOME_UNUSABLE", "idle"]);
});

test.skipIf(!canBeNobody)(
  "with a usable socket, a home without write permission can be listed, but cannot be used to start PM2",
  async () => {
    chmodSync(join(own.home, "rpc.sock"), 0o777);
    expect(await asOther(own.home)).toEqual(['["api"]', "PM2_HOME_UNUSABLE", "idle"]);
  },
);

test.skipIf(!canBeNobody)("a home without permission to enter is refused", async () => {
  const home = join(own.folder, "closed");
  mkdirSync(home, { mode: 0o700 });
  expect(await asOther(home)).toEqual(["EACCES", "PM2_HOME_UNUSABLE", "idle"]);
  chownSync(home, NOBODY, NOBODY);
  expect(await asOther(home)).toEqual(["PM2_NOT_RUNNING", '"held"', "idle"]);
});

longTest.skipIf(!canBeNobody)("a process of another user is hidden, and one that has ended is not", async () => {
  const seenBy = (pid: number): Promise<string[]> =>
    run([...asNobody, ...commandLine("sees-process", String(pid))], {});
  expect(await seenBy(process.pid)).toEqual(["hidden"]);
  // Above the largest pid of Linux.
  expect(await seenBy(2 ** 22 + 1)).toEqual(["seen"]);
  expect(await run(commandLine("sees-process", String(process.pid)), {})).toEqual(["seen"]);
});

longTest("for the owner, an idle link keeps no process running", async () => {
  expect(await run(commandLine("list-processes"), { PM2_HOME: own.home })).toEqual(['["api"]', '"held"', "idle"]);
});
