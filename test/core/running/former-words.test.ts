import { expect, test } from "vitest";
import { formerWords } from "../../../src/core/running/read-values.ts";

test.for([
  ["a deleted line", 'env: { A: "1", GONE: "2" }', 'env: { A: "1" }', ["GONE"]],
  ["a line that is only commented out", 'A: "1",\nGONE: "2"', 'A: "1",\n// GONE: "2"', ["GONE"]],
  ["a block that is commented out", "A: 1, GONE: 2", "A: 1, /* GONE: 2 */", ["GONE"]],
  ["a comment of YAML", "env:\n  A: 1\n  GONE: 2", "env:\n  A: 1\n  # GONE: 2", ["GONE"]],
  ["a name that only a comment had", "A: 1 // GONE", "A: 1", []],
  ["a URL", 'A: "https://host/GONE"', "A: 1", ["https", "host", "GONE"]],
  ["a part of a name", "A: 1, GONE_TOO: 2", "A: 1, GONE: 2", ["GONE_TOO"]],
] as const)("former words: %s", ([, before, now, words]) => {
  expect([...formerWords([before], [now])]).toEqual(words);
});
