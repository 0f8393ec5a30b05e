/** An end by SIGKILL is one of the kernel's memory limit only if the kernel says so. */
import { expect, test } from "vitest";
import { settledTimes } from "../../../src/core/events/feed.ts";
import type { LogEntry } from "../../../src/core/logs/log-line.ts";

const AT = 1_800_000_000_000;
const PM_ID = 3;
const named = { pmId: PM_ID, isOld: false, name: "web", atMs: AT };
const end: LogEntry = { ...named, type: "exit", code: 0, signal: "SIGKILL" };

interface Kernel {
  readonly kills?: number;
  readonly logged?: readonly { readonly atMs: number; readonly pid: number }[];
}

/** The sightings of the entries that PM2 logs between two looks at the kernel. */
async function seen(entries: readonly LogEntry[], before: Kernel, after: Kernel): Promise<unknown[]> {
  const logged: LogEntry[] = [];
  const sightings: unknown[] = [];
  let kernel = before;
  const ports = {
    clock: { now: () => AT, sleep: async () => {} },
    processLogs: { readPm2Log: async () => ({ entries: [...logged] }) },
    sightings: {
      watch: () => () => {},
      readKernel: async () => kernel,
      readPids: async () => new Map([[PM_ID, 77]]),
      runningCommands: async () => [],
      append: async (more: readonly unknown[]) => void sightings.push(...more),
    },
  };
  const times = settledTimes(ports as never, new AbortController().signal);
  await times.next();
  logged.push(...entries);
  kernel = after;
  await times.next();
  await times.return(undefined);
  return sightings;
}

const kill = (isNamed: boolean) => ({ type: "memory-kill", atMs: AT, pmId: PM_ID, isNamed });

test.each<[string, Kernel, Kernel, unknown[]]>([
  ["counts one more", { kills: 3 }, { kills: 4 }, [kill(false)]],
  ["counts none", { kills: 3 }, { kills: 3 }, []],
  ["had no count before", {}, { kills: 4 }, []],
  ["has no count any more", { kills: 3 }, {}, []],
  ["names the process", { kills: 3 }, { kills: 3, logged: [{ atMs: AT + 1000, pid: 77 }] }, [kill(true)]],
  ["names another process", { kills: 3 }, { kills: 4, logged: [{ atMs: AT, pid: 78 }] }, []],
  ["named it long ago", { kills: 3 }, { kills: 3, logged: [{ atMs: AT - 60_000, pid: 77 }] }, []],
])("the kernel %s", async (_, before, after, expected) => {
  expect(await seen([end], before, after)).toEqual(expected);
});

test("an end that was ordered, or has another signal or exit code, is not the kernel's", async () => {
  const others: (readonly LogEntry[])[] = [
    [{ ...named, type: "stopping" }, end],
    [{ ...end, signal: "SIGTERM" }],
    [{ ...end, code: 1 }],
  ];
  for (const entries of others) expect(await seen(entries, { kills: 3 }, { kills: 4 })).toEqual([]);
});
