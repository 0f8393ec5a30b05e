import { describe, expect, test } from "vitest";
import { renderBar, renderSparkline } from "../../../../src/commands/terminal/numbers.ts";
import { fit } from "../../../../src/commands/terminal/table.ts";
import { parseKeys } from "../../../../src/commands/terminal/watch/run-watch.ts";
import {
  visibleProcesses,
  sortKeys,
  type WatchState,
  MAX_LOG_LINES,
  reduce,
} from "../../../../src/commands/terminal/watch/state.ts";
import { busySample, keys, seen, stateAfter } from "./samples.ts";

const busy = seen(busySample());
const ids = (state: WatchState): number[] => visibleProcesses(state).map(({ pmId }) => pmId);
const press = (state: WatchState, key: string) => reduce(state, { type: "key", key });

test("details are requested only on the page that shows them", () => {
  const details = { type: "details", target: { pmId: 5, name: "one" }, lines: ["of one"] } as const;
  const pageAfter = (pressed: string) => stateAfter(busy, ...keys(pressed), details).page;
  expect(pageAfter("down enter")).toEqual(["of one"]);
  expect(pageAfter("down enter escape l")).toEqual(["Reading …"]);
  expect(pageAfter("down enter escape down enter")).toEqual(["Reading …"]);
});

test("every order contains all processes", () => {
  const orders = Object.fromEntries(sortKeys.map((sort) => [sort, ids({ ...stateAfter(busy), sort })]));
  expect(orders).toEqual({
    cpu: [5, 4, 2, 0, 3, 1],
    memory: [0, 2, 3, 4, 5, 1],
    restarts: [1, 5, 4, 3, 2, 0],
    name: [5, 0, 1, 4, 2, 3],
    status: [1, 0, 4, 2, 5, 3],
  });
});

test("the key s cycles through the sort orders", () => {
  expect(sortKeys.map((_, count) => stateAfter(...keys("s ".repeat(count + 1).trim())).sort)).toEqual([
    ...sortKeys.slice(1),
    sortKeys[0],
  ]);
});

test("the filter takes name, namespace and status, in any case", () => {
  expect(ids(stateAfter(busy, ...keys("/ D E V enter")))).toEqual([5, 0, 1]);
  expect(ids(stateAfter(busy, ...keys("/ s t o p enter")))).toEqual([3]);
  expect(ids(stateAfter(busy, ...keys("/ x x x backspace backspace backspace enter")))).toHaveLength(6);
  expect(stateAfter(busy, ...keys("/ q s enter")).filter).toBe("qs");
  expect(stateAfter(busy, ...keys("/ q escape"))).toMatchObject({ filter: "", mode: "table" });
});

test("the arrows select a process, which stays selected in another order", () => {
  expect(stateAfter(busy, ...keys("down")).selected).toBe(5);
  expect(stateAfter(busy, ...keys("up")).selected).toBe(1);
  expect(stateAfter(busy, ...keys("down down s s")).selected).toBe(4);
  expect(stateAfter(busy, ...keys("down up up")).selected).toBe(5);
  expect(stateAfter(...keys("down")).selected).toBeUndefined();
});

test("the interval stays between 500 and 2000 ms, and a change is shown", () => {
  let state = stateAfter();
  const paces = ["+", "+", "+", "-", "-", "-", "-", "-", "-", "-"].map((key) => {
    const step = press(state, key);
    state = step.state;
    return [state.intervalMs, step.effect?.type];
  });
  expect(paces).toEqual([
    [750, "interval"],
    [500, "interval"],
    [500, undefined],
    ...[750, 1000, 1250, 1500, 1750, 2000].map((ms) => [ms, "interval"]),
    [2000, undefined],
  ]);
});

test("while the view is paused, nothing changes", () => {
  const paused = stateAfter(busy, ...keys("p"), seen(busySample()));
  expect(paused.cpuHistory).toHaveLength(1);
  expect(paused.sample).toBe(stateAfter(busy).sample);
  expect(stateAfter(busy, ...keys("p p"), busy).cpuHistory).toHaveLength(2);
});

describe("an action", () => {
  test.each([
    ["S", "start"],
    ["X", "stop"],
    ["R", "restart"],
  ])("%s asks for confirmation, and y confirms it", (key, action) => {
    const confirming = stateAfter(busy, ...keys(`down ${key}`));
    expect(confirming).toMatchObject({ mode: "confirm", pendingAction: { action, pmId: 5, name: "dev-grpcapi" } });
    const { state, effect } = press(confirming, "y");
    expect(effect).toEqual({ type: "act", action, target: { pmId: 5, name: "dev-grpcapi" } });
    expect(state).toMatchObject({ mode: "table", pendingAction: undefined });
  });

  test.each(["n", "Y", "enter", "escape", "q", "x"])("any other key, such as %s, does nothing", (key) => {
    const { state, effect } = press(stateAfter(busy, ...keys("down X")), key);
    expect({ effect, mode: state.mode, pendingAction: state.pendingAction }).toEqual({
      effect: undefined,
      mode: "table",
      pendingAction: undefined,
    });
  });

  test("needs a selection", () => {
    expect(stateAfter(busy, ...keys("X"))).toMatchObject({ mode: "table", notice: { isBad: true } });
  });

  test("applies to the process that was selected when the action began", () => {
    const confirming = stateAfter(busy, ...keys("down X"), seen(busySample()), ...keys("s"));
    expect(confirming.mode).toBe("table");
    expect(stateAfter(busy, ...keys("down X"), busy).pendingAction).toMatchObject({ pmId: 5 });
  });
});

test("the first part of a log replaces the page, the newest lines are kept, and any key leaves it", () => {
  const opened = press(stateAfter(busy, ...keys("down")), "l");
  expect(opened).toMatchObject({ state: { mode: "log" }, effect: { type: "log", target: { pmId: 5 } } });
  const part = (lines: string[], isFirst = false) => ({ type: "log", lines, isFirst }) as const;
  const many = Array.from({ length: MAX_LOG_LINES }, (_, line) => `${line}`);
  const state = stateAfter(busy, ...keys("down l"), part(["before"], true), part(many, true), part(["newest"]));
  expect(state.page).toEqual([...many.slice(1), "newest"]);
  expect(press(state, "escape")).toMatchObject({ state: { mode: "table" }, effect: { type: "leave-log" } });
  expect(press(state, "q").effect).toEqual({ type: "quit" });
  expect(press(stateAfter(busy), "l")).toMatchObject({ state: { mode: "table", notice: { isBad: true } } });
});

test("q quits, except while the user types text; Ctrl-C always quits", () => {
  expect(press(stateAfter(busy), "q").effect).toEqual({ type: "quit" });
  expect(press(stateAfter(busy, ...keys("/")), "q").effect).toBeUndefined();
  for (const mode of ["/", "?", "p"]) {
    expect(press(stateAfter(busy, ...keys(mode)), "ctrl-c").effect).toEqual({ type: "quit" });
  }
});

test.each([
  ["a", ["a"]],
  ["\u001B[A\u001B[B\u001BOA", ["up", "down", "up"]],
  ["\u001B[1;5C\u001B[15~x", ["x"]],
  ["\r\n\u007F\u0003\u001B", ["enter", "enter", "backspace", "ctrl-c", "escape"]],
  ["\u0000\u001A\u0007é服", ["é", "服"]],
])("%j are the keys %j", (input, expected) => {
  expect(parseKeys(input)).toEqual(expected);
});

test("bars and sparklines keep their width for every value", () => {
  for (const value of [null, -1, 0, 0.1, 12.5, 50, 99.9, 100, 1000])
    expect(Array.from(renderBar(value, 10))).toHaveLength(10);
  expect(renderBar(50, 4)).toBe("██··");
  expect(renderSparkline([0, 50, 100, null], 3)).toBe("▅█ ");
});

test.each([
  ["abc", 5, "abc  "],
  ["abcdef", 4, "abc…"],
  ["服务服", 4, "服… "],
  ["a\u001B[31mb", 8, "a\uFFFD[31mb "],
  ["a", 0, ""],
])("%j in %i columns is %j", (text, width, expected) => {
  expect(fit(text, width)).toBe(expected);
});
