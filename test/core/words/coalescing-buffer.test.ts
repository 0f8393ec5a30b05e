import { expect, test } from "vitest";
import { CoalescingBuffer } from "../../../src/core/words/coalescing-buffer.ts";

test("a slow reader receives the newest item, or the merged ones", async () => {
  const newest = new CoalescingBuffer<number>();
  const sum = new CoalescingBuffer<number>((missed, item) => missed + item);
  for (const item of [1, 2, 3]) for (const buffer of [newest, sum]) buffer.put(item);
  expect([await newest.next(), await sum.next()]).toEqual([3, 6]);
  sum.put(4);
  expect(await sum.next()).toBe(4);
});

test("a waiting reader is woken by an item, by a failure after the last item, and by the end", async () => {
  const buffer = new CoalescingBuffer<number>();
  const first = buffer.next();
  buffer.put(1);
  expect(await first).toBe(1);
  buffer.put(2);
  buffer.fail(new RangeError("full"));
  expect(await buffer.next()).toBe(2);
  await expect(buffer.next()).rejects.toThrow("full");
  const other = new CoalescingBuffer<number>();
  const last = other.next();
  other.end();
  expect(await last).toBeUndefined();
});
