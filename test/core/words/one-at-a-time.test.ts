import { expect, test } from "vitest";
import { oneAtATime } from "../../../src/core/words/one-at-a-time.ts";

interface Begun {
  readonly end: (value: string) => void;
  readonly signal: AbortSignal;
}

/** Work that ends when the test says so. */
function controlled() {
  const begun: Begun[] = [];
  const waiting: ((work: Begun) => void)[] = [];
  const ask = oneAtATime((_key, { signal }) => {
    return new Promise<string>((resolve, reject) => {
      const work = { end: resolve, signal };
      begun.push(work);
      waiting.shift()?.(work);
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  /** The work that begins next. */
  const next = (): Promise<Begun> => new Promise((resolve) => void waiting.push(resolve));
  return { begun, next, ask };
}

test("callers that come while work waits share it, and another key does not wait", async () => {
  const { begun, next, ask } = controlled();
  const answers = [ask("a"), ask("a"), ask("a"), ask("b")];
  expect(begun).toHaveLength(2);
  const second = next();
  begun[1]?.end("other");
  begun[0]?.end("first");
  (await second).end("second");
  expect(await Promise.all(answers)).toEqual(["first", "second", "second", "other"]);
  expect(begun).toHaveLength(3);
});

test("work is aborted when its last caller gives up, and the next caller gets new work", async () => {
  const { begun, next, ask } = controlled();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = ask("a");
  const shared = [ask("a", one.signal), ask("a", two.signal)];
  one.abort(new Error("one"));
  await expect(shared[0]).rejects.toThrow("one");
  const second = next();
  begun[0]?.end("first");
  expect(await first).toBe("first");
  const { signal } = await second;
  expect(signal.aborted).toBe(false);
  const third = next();
  two.abort(new Error("two"));
  await expect(shared[1]).rejects.toThrow("two");
  expect(signal.aborted).toBe(true);
  const again = ask("a");
  (await third).end("again");
  expect(await again).toBe("again");
});

test("a caller that gives up before its work begins leaves none behind for the next caller", async () => {
  const { begun, next, ask } = controlled();
  const stop = new AbortController();
  const first = ask("a");
  const left = ask("a", stop.signal);
  stop.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  const late = ask("a");
  const second = next();
  begun[0]?.end("first");
  expect(await first).toBe("first");
  (await second).end("late");
  expect(await late).toBe("late");
  expect(begun).toHaveLength(2);
});

test("only the callers of failed work get its error", async () => {
  let calls = 0;
  const ask = oneAtATime(async () => {
    calls += 1;
    if (calls === 1) throw new Error("first");
    return calls;
  });
  const [first, second] = [ask("a"), ask("a")];
  await expect(first).rejects.toThrow("first");
  expect(await second).toBe(2);
});
