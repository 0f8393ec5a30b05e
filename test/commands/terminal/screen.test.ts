import { expect, test } from "vitest";
import { colourLevel } from "../../../src/commands/terminal/screen.ts";

test.each([
  [{}, true, 1],
  [{}, false, 0],
  [{ TERM: "dumb" }, true, 0],
  [{ TERM: "xterm-256color" }, true, 2],
  [{ COLORTERM: "truecolor" }, true, 3],
  [{ NO_COLOR: "1" }, true, 0],
  [{ NO_COLOR: "" }, true, 1],
  [{ NO_COLOR: "1", FORCE_COLOR: "3" }, true, 0],
  [{ FORCE_COLOR: "" }, false, 1],
  [{ FORCE_COLOR: "2" }, false, 2],
  [{ FORCE_COLOR: "0" }, true, 0],
  [{ FORCE_COLOR: "1", TERM: "dumb" }, false, 1],
])("%j with a terminal: %s has level %i", (env, isTerminal, level) => {
  expect(colourLevel(env, isTerminal)).toBe(level);
});
