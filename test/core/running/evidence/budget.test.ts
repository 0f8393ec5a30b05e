import { expect, test, vi } from "vitest";
import { Budget } from "../../../../src/core/running/evidence/walk.ts";
import { queuedMs } from "../../../../src/core/files/system.ts";

test("the time in which a busy machine lets svcm wait does not count, up to four times the budget", () => {
  let [nowMs, waitedMs] = [1000, 300];
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const budget = new Budget(2000, () => waitedMs);
  const problemAt = (ms: number, queued: number): string | null => {
    [nowMs, waitedMs] = [ms, queued];
    return budget.problem;
  };
  const late = "its files could not be read within 2 s";
  const answers = [
    problemAt(2999, 300),
    problemAt(3000, 300),
    problemAt(4999, 2300),
    problemAt(5000, 2300),
    problemAt(10_999, 60_000),
    problemAt(11_000, 60_000),
  ];
  budget.renew();
  answers.push(problemAt(12_999, 60_000));
  clock.mockRestore();
  expect(answers).toEqual([null, late, null, late, null, late, null]);
});

test.runIf(process.platform === "linux")(
  "the kernel counts the time in which this thread waits for a processor",
  () => {
    expect(queuedMs("thread-self")).toBeGreaterThanOrEqual(0);
    expect(queuedMs(process.pid)).toBeGreaterThan(0);
    expect(queuedMs(undefined)).toBe(0);
  },
);
