import { expect, test } from "vitest";
import { oneAtATime } from "../../../src/core/words/once.ts";

interface Begun {
  readonly end: (value: string) => void;
}

/** Work that ends when the test says so. */
function controlled() {
  const begun: Begun[] = [];
  const waiting: ((work: Begun) => void)[] = [];
  const ask = oneAtATime(() => {
    return new Promise<string>((resolve) => {
      const work = { end: resolve };
      begun.push(work);
      waiting.shift()?.(work);
    });
  });
  const next = (): Promise<Begun> => new Promise((resolve) => void waiting.push(resolve));
  return { begun, next, ask };
}

test("callers that arrive while work waits share it, and another key does not wait", async () => {
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

test("only the callers of failed work receive its error", async () => {
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
