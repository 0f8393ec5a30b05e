import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ProcessMetrics } from "../../src/client/index.ts";
import { frameExamples } from "../../src/core/api/frame-examples.ts";
import {
  formatBytes,
  pluralize,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRate,
  formatTime,
  inLocalTime,
} from "../../src/console/data/format.ts";
import { RequestError } from "../../src/console/data/request-error.ts";
import { Series } from "../../src/console/data/series.ts";
import { parseLink } from "../../src/console/state/address.ts";
import { ServerWatch } from "../../src/console/state/server-watch.ts";
import { createSession } from "../../src/console/state/session.ts";
import { createToasts } from "../../src/console/state/toasts.ts";
import { LiveSamples } from "../../src/console/tabs/monitoring/live-samples.ts";
import { causesRestarts } from "../../src/console/tabs/monitoring/process-status.ts";

const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];
const example = payload.processes[0] as ProcessMetrics;
const processOf = (name: string, pmId: number, cpuPercent: number | null): ProcessMetrics => ({
  ...example,
  name,
  pmId,
  cpuPercent,
});

describe("format", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 KB"],
    [1024, "1.0 KB"],
    [102_348, "99.9 KB"],
    [102_400, "100 KB"],
    [1024 ** 2 - 1, "1.0 MB"],
    [195 * 1024 ** 2, "195 MB"],
    [16 * 1024 ** 3, "16.0 GB"],
    [5_000 * 1024 ** 4, "5000 TB"],
    [null, "–"],
  ])("%s bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  test.each([
    [0, "0s"],
    [59_999, "59s"],
    [60_000, "1m 0s"],
    [7_260_000, "2h 1m"],
    [111_600_000, "1d 7h"],
    [null, "–"],
    [-5, "0s"],
  ])("%s ms are %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

  test("an unknown value is a dash, never 0", () => {
    expect([formatRate(null), formatNumber(null), formatPercent(undefined)]).toEqual(["–", "–", "–"]);
    expect([formatRate(0), formatNumber(0), formatPercent(0)]).toEqual(["0 B/s", "0.0", "0.0%"]);
  });

  test("times and counts", () => {
    expect(formatTime(new Date(2026, 10, 1, 4, 2, 3).getTime())).toBe("2026-11-01 04:02:03");
    expect(formatTime("never")).toBe("never");
    expect([pluralize(1, "core"), pluralize(2, "process", "processes")]).toEqual(["1 core", "2 processes"]);
  });
});

describe("series", () => {
  test("keeps the newest values, in order, with their gaps", () => {
    const series = new Series(2, 3);
    for (const time of [1, 2, 3, 4]) series.push(time, [time * 10, time === 3 ? null : 1]);
    expect(series.length).toBe(3);
    expect(series.read({ from: 0, to: 9 }, [0, 1])).toEqual([
      [2, 3, 4],
      [20, 30, 40],
      [1, null, 1],
    ]);
    expect(series.read({ from: 3, to: 3 }, [0, 1])).toEqual([[3], [30], [null]]);
    const into = new Float32Array(3).fill(Number.NaN);
    series.spread(0, { from: 1, to: 4 }, into);
    expect([...into]).toEqual([Number.NaN, 20, 40]);
  });
});

describe("history", () => {
  test("forgets a deleted process, and does not assign its values to the next process with its number", () => {
    const history = new LiveSamples();
    history.addProcesses(1, [processOf("a", 0, 5)]);
    history.addProcesses(2, [processOf("b", 0, 7)]);
    expect(history.ofRow("0 a")).toBeUndefined();
    expect(history.ofRow("0 b")?.read({ from: 0, to: 9 }, [0])[1]).toEqual([7]);
  });

  test("has the sum of the instances of an app beside the series of each instance", () => {
    const history = new LiveSamples();
    history.addProcesses(1, [processOf("a", 0, 5), processOf("a", 1, 7)]);
    const cpu = (key: string) => history.ofRow(key)?.read({ from: 0, to: 9 }, [0])[1];
    expect([cpu("0 a"), cpu("1 a"), cpu("× 0 a")]).toEqual([[5], [7], [12]]);
  });

  test("starts a new series for another number of disks", () => {
    const history = new LiveSamples();
    const { host } = payload;
    history.addHost(1, host);
    history.addHost(2, { ...host, disk: [...host.disk, ...host.disk] });
    expect(history.host?.length).toBe(1);
    expect(history.diskCount).toBe(host.disk.length * 2);
  });
});

test.each<["online" | "stopped" | "errored", number | null, number | null, boolean]>([
  ["online", 3, 0, false],
  ["online", 3, 1, true],
  // A process that is stopped early also counts as unstable.
  ["stopped", 0, 1, false],
  ["errored", 15, 0, true],
  ["errored", null, null, false],
])(
  "%s with %s restarts, %s of them unstable, restarts too often: %s",
  (state, restartCount, unstableRestarts, expected) => {
    expect(causesRestarts({ state, stateReason: null, problem: null, restartCount, unstableRestarts })).toBe(expected);
  },
);

describe("toasts", () => {
  function toasts() {
    const timers: (() => void)[] = [];
    return { timers, toasts: createToasts((run) => void timers.push(run)) };
  }

  test("information hides by itself, errors stay until they are dismissed", () => {
    const { timers, toasts: all } = toasts();
    all.info("Copied.");
    all.error(new RequestError({ error: "Failed.", code: "ENOSPC", path: "/x", status: 500 }));
    for (const run of timers) run();
    expect(all.list.value.map(({ problem }) => problem)).toEqual([
      { error: "Failed.", code: "ENOSPC", path: "/x", status: 500 },
    ]);
    all.dismissAll();
    expect(all.list.value).toEqual([]);
  });

  test("a repeated error is one toast with a count; a resolved topic removes its errors", () => {
    const { toasts: all } = toasts();
    all.error("No.");
    all.error("No.");
    all.error("One.", "topic");
    all.error("Another.", "topic");
    expect(all.list.value.map(({ problem, count }) => [problem.error, count])).toEqual([
      ["No.", 2],
      ["Another.", 2],
    ]);
    all.resolve("topic");
    expect(all.list.value).toHaveLength(1);
  });

  test("the timer of an earlier toast does not remove a later one with the same text", () => {
    const { timers, toasts: all } = toasts();
    all.info("Copied.");
    all.info("Copied.");
    timers[0]?.();
    expect(all.list.value.map(({ count }) => count)).toEqual([2]);
  });
});

describe("session", () => {
  test("one entered token answers all waiting requests; cancelling rejects them", async () => {
    const session = createSession(undefined, () => "one");
    const problem = { error: "Unauthorized." };
    const waiting = [session.demand(problem, false), session.demand(problem, true)];
    expect(session.demanded.value).toEqual({ problem, refused: false });
    session.enter("token");
    expect(await Promise.all(waiting)).toEqual([true, true]);
    expect(session.token()).toBe("token");
    const again = session.demand(problem, true);
    session.cancel();
    expect(await again).toBe(false);
    expect(session.demanded.value).toBeUndefined();
  });
});

test.each([
  ["", "monitoring"],
  ["#/activity", "activity"],
  ["#/pm2/x?y", "pm2"],
  ["#/nothing", "monitoring"],
])("the link %j opens the tab %s", (hash, tab) => expect(parseLink(hash).tab).toBe(tab));

describe("the server", () => {
  test("any request shows that it is unavailable or available again, before the next poll", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let version = "1.0.0";
    const server = new ServerWatch({ health: () => Promise.resolve({ status: "ok", version, server: "one" }) });
    await server.check();
    server.setReachable(false);
    expect(server.isOnline.value).toBe(false);
    version = "1.1.0";
    server.setReachable(true);
    expect(server.isOnline.value).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.newVersion.value).toBe("1.1.0");
    server.setReachable(false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(server.isOnline.value).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
  });
});

test("the times of a sentence of the server are shown as all times of the page", () => {
  const [at, later] = ["2026-11-27T19:40:02.126Z", "2026-11-27T19:41:00Z"];
  expect(inLocalTime(`It began at ${at}, and ended at ${later}: exit code 3.`)).toBe(
    `It began at ${formatTime(at)}, and ended at ${formatTime(later)}: exit code 3.`,
  );
  expect(inLocalTime("commit 2026-11-27, TZ")).toBe("commit 2026-11-27, TZ");
});
