import { expect, test } from "vitest";
import { Watch } from "../../../../src/core/logs/files/worker/watches.ts";

const source = { app: "api", pmId: 0, stream: "out", file: "api-out.log" } as const;
const line = (offset: number) =>
  ({ source, atMs: null, level: null, text: `line ${offset}`, fields: undefined, offset }) as const;

test("each batch of a slow reader counts the lines that were dropped since the last one", () => {
  const watch = new Watch({}, false);
  for (let at = 0; at < 503; at += 1) watch.add(line(at));
  const first = watch.takeBatch();
  expect([first?.lines.length, first?.lines[0]?.offset, first?.skipped]).toEqual([500, 3, 3]);
  expect(watch.takeBatch()).toBeUndefined();
  watch.add(line(503));
  expect(watch.takeBatch()).toEqual({ lines: [line(503)], skipped: 0 });
});

test("a reader of every line loses none", () => {
  const watch = new Watch({}, true);
  for (let at = 0; at < 1500; at += 1) watch.add(line(at));
  expect(watch.takeBatch()).toMatchObject({ lines: { length: 1500 }, skipped: 0 });
});
