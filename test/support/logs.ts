/** Logs of apps under a real PM2. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LogBatch, Ports } from "../../src/core/index.ts";
import type { Pm2 } from "./pm2-daemon.ts";

/** Runs an app that writes nothing, because a test writes its log. Returns the path of the log. */
export async function quietApp(own: Pm2, name: string, out: string | Buffer, more: object = {}): Promise<string> {
  const path = join(own.folder, `${name}-out.log`);
  writeFileSync(path, out);
  const errors = join(own.folder, `${name}-error.log`);
  await own.run({ name, merge_logs: true, out_file: path, error_file: errors, ...more });
  return path;
}

/** Watches logs until the test has ended. */
export function watchedLogs(ports: Ports, filter: object, more: { tail?: number; isWhole?: boolean } = {}) {
  const stop = new AbortController();
  const lines: string[] = [];
  const batches: LogBatch[] = [];
  let wake = (): void => undefined;
  const ended = (async () => {
    for await (const batch of ports.logs.watch({ tail: 0, isWhole: true, ...filter, ...more }, stop.signal)) {
      batches.push(batch);
      lines.push(...batch.lines.map(({ text }) => text));
      wake();
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => undefined);
  });
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
  };
  return { lines, batches, until, begun: () => until(() => batches.length > 0), ended };
}
