import type { LogsResponse } from "../../api/logs.ts";
import type { LogPosition } from "../cursor.ts";
import type { LogBatch, LogFilter, Logs } from "../port-logs.ts";
import { CoalescingBuffer } from "../../words/coalescing-buffer.ts";
import { once } from "../../words/once.ts";
import { probeSocket } from "../../pm2/daemon/daemon.ts";
import { pm2Error, unreachableError } from "../../pm2/daemon/failure.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { LogLink, type WatchListener } from "./log-link.ts";
import { unpackLines } from "./packed.ts";
import type { Call } from "./protocol.ts";

export interface LogsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** In addition to PM2_HOME and those of the apps. */
  readonly folders: readonly string[];
  readonly secrets: () => Promise<readonly string[]>;
}

export function nodeLogs({ env, cwd, folders, secrets }: LogsOptions): Logs {
  const { folder: home, socket } = pm2Home(env, cwd);
  const link = once(() => new LogLink({ home, folders }));
  const sharedWatches = new Map<string, SharedWatch>();
  let count = 0;
  const callWorker = async (call: Call): ReturnType<LogLink["call"]> => {
    const code = await probeSocket(socket);
    if (code !== undefined) throw pm2Error(unreachableError(code, socket).body);
    link().prepare();
    return await link().call(call, await secrets());
  };
  const read = async (call: Extract<Call, { method: "read" }>): Promise<LogsResponse> =>
    unpackPage(await callWorker(call));
  return {
    async read(query, signal) {
      signal?.throwIfAborted();
      return await read({ method: "read", query });
    },
    async *watch({ tail, isLossless, ...filter }, signal) {
      const key = isLossless ? `whole ${(count += 1)}` : JSON.stringify(filter);
      const subscriber = new Subscriber(isLossless ? () => link().post({ call: { method: "taken", key } }) : undefined);
      const stop = (): void => subscriber.end();
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const sharedWatch = joinSharedWatch(key, link(), sharedWatches);
      try {
        const upTo = await startWatch(callWorker, { key, filter, isLossless }, () => sharedWatch.add(subscriber));
        const { lines, older, problems } = await read({ method: "read", query: { ...filter, limit: tail }, upTo });
        yield { lines, skipped: 0, begin: { older, problems } };
        yield* subscriber;
      } finally {
        signal.removeEventListener("abort", stop);
        sharedWatch.remove(subscriber);
      }
    },
    close: () => link().close(),
  };
}

function unpackPage(answer: Awaited<ReturnType<LogLink["call"]>>): LogsResponse {
  if ("page" in answer) return { ...answer.page, lines: unpackLines(answer.page.lines) };
  throw new TypeError("The worker did not answer with a page.");
}

async function startWatch(
  callWorker: (call: Call) => ReturnType<LogLink["call"]>,
  watch: { readonly key: string; readonly filter: LogFilter; readonly isLossless: boolean },
  onStarted: () => void,
): Promise<readonly LogPosition[]> {
  const answer = await callWorker({ method: "watch", ...watch });
  onStarted();
  return "places" in answer ? answer.places : [];
}

function joinSharedWatch(key: string, link: LogLink, sharedWatches: Map<string, SharedWatch>): SharedWatch {
  const existing = sharedWatches.get(key);
  if (existing) return existing;
  const sharedWatch = new SharedWatch(() => {
    sharedWatches.delete(key);
    link.leave(key);
  });
  sharedWatches.set(key, sharedWatch);
  link.listen(key, sharedWatch);
  return sharedWatch;
}

type Batch = Omit<LogBatch, "begin">;

class SharedWatch implements WatchListener {
  readonly #subscribers = new Set<Subscriber>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#onEmpty();
  }

  onBatch(batch: Batch): boolean {
    return [...this.#subscribers].map((subscriber) => subscriber.put(batch)).every(Boolean);
  }

  onEnd(error: Error): void {
    for (const subscriber of this.#subscribers) subscriber.fail(error);
  }
}

/** A slow reader loses the batch that it has not taken. */
class Subscriber extends CoalescingBuffer<Batch> {
  readonly #onTaken: (() => void) | undefined;

  /** @param onTaken with it, the reader loses no line */
  constructor(onTaken?: () => void) {
    super((missed, { lines, skipped }) => ({ lines, skipped: skipped + missed.skipped + missed.lines.length }));
    this.#onTaken = onTaken;
  }

  /** False if the reader must take this batch before the next. */
  override put(batch: Batch): boolean {
    super.put(batch);
    return this.#onTaken === undefined;
  }

  override async next(): Promise<Batch | undefined> {
    const batch = await super.next();
    if (batch !== undefined) this.#onTaken?.();
    return batch;
  }
}
