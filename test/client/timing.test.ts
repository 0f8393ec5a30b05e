import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { backoffMs } from "../../src/client/connection.ts";
import { watchdog } from "../../src/client/client.ts";

test("delays double up to ten seconds, and half of each is random", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 1000].map((attempt) => backoffMs(attempt, 1))).toEqual([
    250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000,
  ]);
  for (const attempt of [0, 3, 9]) expect(backoffMs(attempt, 0)).toBe(backoffMs(attempt, 1) / 2);
});

describe("silence", () => {
  const happened: string[] = [];
  const watched = () =>
    watchdog(
      () => happened.push("silence"),
      () => happened.push("dead"),
    );

  beforeEach(() => {
    vi.useFakeTimers();
    happened.length = 0;
  });
  afterEach(() => void vi.useRealTimers());

  test("is reported, and after the same time again the connection is considered lost, once", () => {
    watched().start(3000);
    vi.advanceTimersByTime(2999);
    expect(happened).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(["silence"]);
    vi.advanceTimersByTime(60_000);
    expect(happened).toEqual(["silence", "dead"]);
  });

  test("ends with any frame", () => {
    const dog = watched();
    dog.start(3000);
    for (let count = 0; count < 10; count++) {
      vi.advanceTimersByTime(2000);
      dog.reset();
    }
    expect(happened).toEqual([]);
    vi.advanceTimersByTime(3000);
    dog.reset();
    vi.advanceTimersByTime(3000);
    expect(happened).toEqual(["silence", "silence"]);
  });

  test("has no effect after the end", () => {
    const dog = watched();
    dog.start(3000);
    dog.stop();
    dog.reset();
    vi.advanceTimersByTime(60_000);
    expect(happened).toEqual([]);
  });
});
