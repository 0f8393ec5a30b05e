import { expect, onTestFinished, test, vi } from "vitest";
import { LogLink, readInWorker } from "../../../../src/core/logs/files/log-link.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function countPorts(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
}

test("a worker that waits for its first call does not keep the program running", async () => {
  const before = countPorts();
  const link = new LogLink({ home: temporaryFolder(), folders: [], key: new Uint8Array(32) }, readInWorker);
  link.prepare();
  expect(countPorts()).toBe(before);
  await link.close();
});

/** A link to a reader that is played here, with a clock that is, too. */
function playedLink() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const end = vi.fn<() => Promise<undefined>>(async () => undefined);
  const played = { respond: (_response: object): void => undefined, end };
  const link = new LogLink({ home: "/srv/.pm2", folders: [], key: new Uint8Array(32) }, (_data, on) => {
    played.respond = (response) => on.response(response as never);
    return { post: () => undefined, setBusy: () => undefined, end };
  });
  return { link, played };
}
const read = (regexp: string) => ({ method: "read", query: { regexp } }) as never;
const watch = (key: string, regexp?: string) =>
  ({ method: "watch", key, filter: { regexp }, isLossless: false }) as never;

test("a pattern is called too slow only after 5 s without a sign of life, and its reader is ended", async () => {
  const { link, played } = playedLink();
  const answer = link.call(read("(a+)+$"), []).catch((error: unknown) => error);
  for (let second = 0; second < 20; second += 4) {
    await vi.advanceTimersByTimeAsync(4000);
    played.respond({ isAlive: true });
  }
  expect(played.end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(6000);
  expect(await answer).toMatchObject({ body: { code: "LOG_PATTERN_SLOW" } });
  expect(played.end).toHaveBeenCalledTimes(1);
});

test.each([
  ["a search", read("a+"), undefined],
  ["a watch", watch("b", "a+"), "b"],
])("after %s for a pattern, a quiet watch without one stays open", async (_what, call, key) => {
  const { link, played } = playedLink();
  const onEnd = vi.fn<(error: Error) => void>();
  link.listen("a", { onBatch: () => true, onEnd });
  const watched = link.call(watch("a"), []);
  played.respond({ id: 1, places: [] });
  await watched;
  if (key !== undefined) link.listen(key, { onBatch: () => true, onEnd: () => undefined });
  const called = link.call(call, []);
  played.respond({ id: 2, places: [] });
  await called;
  if (key !== undefined) link.leave(key);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onEnd).not.toHaveBeenCalled();
  expect(played.end).not.toHaveBeenCalled();
});
