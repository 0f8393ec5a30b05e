import { expect, test } from "vitest";
import { Mailbox } from "../../../src/core/words/mailbox.ts";

test("a slow reader gets the newest item, or what was joined", async () => {
  const newest = new Mailbox<number>();
  const sum = new Mailbox<number>((missed, item) => missed + item);
  for (const item of [1, 2, 3]) for (const box of [newest, sum]) box.put(item);
  expect([await newest.next(), await sum.next()]).toEqual([3, 6]);
  sum.put(4);
  expect(await sum.next()).toBe(4);
});

test("a reader that waits is woken by an item, by a failure after the last item, and by the end", async () => {
  const box = new Mailbox<number>();
  const first = box.next();
  box.put(1);
  expect(await first).toBe(1);
  box.put(2);
  box.fail(new RangeError("full"));
  expect(await box.next()).toBe(2);
  await expect(box.next()).rejects.toThrow("full");
  const other = new Mailbox<number>();
  const last = other.next();
  other.end();
  expect(await last).toBeUndefined();
});
