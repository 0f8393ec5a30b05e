import { onTestFinished } from "vitest";
import type { LogBatch, Ports } from "../../src/core/index.ts";

export function watchedLogs(ports: Ports, filter: object, more: { tail?: number; isLossless?: boolean } = {}) {
  const stop = new AbortController();
  const lines: string[] = [];
  const batches: LogBatch[] = [];
  let wake = (): void => undefined;
  const ended = (async () => {
    for await (const batch of ports.logs.watch({ tail: 0, isLossless: true, ...filter, ...more }, stop.signal)) {
      batches.push(batch);
      lines.push(...batch.lines.map(({ text }) => text));
      wake();
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => undefined);
  });
  const early = ended.then(() => Promise.reject(new Error("The watch ended before that.")));
  early.catch(() => undefined);
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await Promise.race([early, new Promise<void>((resolve) => (wake = resolve))]);
  };
  return { lines, batches, until, begun: () => until(() => batches.length > 0), ended };
}
