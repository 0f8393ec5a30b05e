import { randomBytes } from "node:crypto";
import { SvcmError } from "../../api/errors.ts";
import type { LogLine, LogsResponse } from "../../api/logs.ts";
import type { LogFilter, Logs } from "../port-logs.ts";
import { CoalescingBuffer } from "../../words/coalescing-buffer.ts";
import { probeSocket } from "../../pm2/daemon/daemon.ts";
import { pm2Error, unreachableError } from "../../pm2/daemon/failure.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { LogLink, readInThread, readInWorker, type WatchListener } from "./log-link.ts";
import type { Batch, Call, ReaderData } from "./protocol.ts";

export interface LogsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** In addition to PM2_HOME and those of the apps. */
  readonly folders: readonly string[];
  readonly secrets: () => Promise<readonly string[]>;
}

export function nodeLogs({ env, cwd, folders, secrets }: LogsOptions): Logs {
  const { folder: home, socket } = pm2Home(env, cwd);
  const links = new Links({ home, folders, key: randomBytes(32) });
  const sharedWatches = new Map<string, SharedWatch>();
  let count = 0;
  const callReader = async (link: LogLink, call: Call): ReturnType<LogLink["call"]> => {
    const code = await probeSocket(socket);
    const { body } = code === undefined ? {} : unreachableError(code, socket);
    const isDown = body?.code === "PM2_NOT_RUNNING";
    if (body !== undefined && (call.method !== "read" || !isDown)) throw pm2Error(body);
    link.prepare();
    return await link.call(isDown && call.method === "read" ? { ...call, isDown } : call, await required(secrets));
  };
  const read = async (link: LogLink, call: Extract<Call, { method: "read" }>): Promise<LogsResponse> => {
    const answer = await callReader(link, call);
    if ("page" in answer) return answer.page;
    throw new TypeError("The reader did not answer with a page.");
  };
  return {
    async read(query, signal) {
      signal?.throwIfAborted();
      return await read(links.for(query, query.readsFiles === true), { method: "read", query });
    },
    async *watch({ tail, isLossless, ...filter }, signal) {
      const key = isLossless ? `whole ${(count += 1)}` : JSON.stringify(filter);
      const link = links.for(filter, isLossless);
      const subscriber = new Subscriber(isLossless ? () => link.post({ call: { method: "taken", key } }) : undefined);
      const stop = (): void => subscriber.end();
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const sharedWatch = joinSharedWatch(key, link, sharedWatches);
      try {
        const answer = await callReader(link, { method: "watch", key, filter, isLossless });
        sharedWatch.add(subscriber);
        const upTo = "places" in answer ? answer.places : [];
        const query = { ...filter, limit: tail };
        const { lines, older, problems } = await read(link, { method: "read", query, upTo });
        yield { lines, skipped: 0, begin: { older, problems } };
        yield* subscriber;
      } finally {
        signal.removeEventListener("abort", stop);
        sharedWatch.remove(subscriber);
      }
    },
    close: () => links.close(),
  };
}

/** @throws {SvcmError} as `secrets`, and says why no log is shown */
async function required(secrets: LogsOptions["secrets"]): Promise<readonly string[]> {
  try {
    return await secrets();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const because = "No log is shown, because svcm does not know which values in it are secret";
    throw new SvcmError(error.kind, {
      ...error.body,
      details: `${because}: ${error.message}`,
      hint: `${because}. On the machine, pm2 logs shows all of it, with its secrets.`,
    });
  }
}

class Links {
  readonly #inWorker: LogLink;
  readonly #inThread: LogLink;

  constructor(data: ReaderData) {
    this.#inWorker = new LogLink(data, readInWorker);
    this.#inThread = new LogLink(data, readInThread);
  }

  /** A command that shows logs has nothing else to do meanwhile. Only a pattern may never end. */
  for({ regexp }: Pick<LogFilter, "regexp">, isCommand: boolean): LogLink {
    return isCommand && regexp === undefined ? this.#inThread : this.#inWorker;
  }

  async close(): Promise<void> {
    await Promise.all([this.#inWorker.close(), this.#inThread.close()]);
  }
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

  onBatch(batch: Batch<LogLine>): boolean {
    return [...this.#subscribers].map((subscriber) => subscriber.put(batch)).every(Boolean);
  }

  onEnd(error: Error): void {
    for (const subscriber of this.#subscribers) subscriber.fail(error);
  }
}

/** A slow reader loses the batch that it has not taken. */
class Subscriber extends CoalescingBuffer<Batch<LogLine>> {
  readonly #onTaken: (() => void) | undefined;

  /** @param onTaken with it, the reader loses no line */
  constructor(onTaken?: () => void) {
    super((missed, { lines, skipped }) => ({ lines, skipped: skipped + missed.skipped + missed.lines.length }));
    this.#onTaken = onTaken;
  }

  /** False if the reader must take this batch before the next. */
  override put(batch: Batch<LogLine>): boolean {
    super.put(batch);
    return this.#onTaken === undefined;
  }

  override async next(): Promise<Batch<LogLine> | undefined> {
    const batch = await super.next();
    if (batch !== undefined) this.#onTaken?.();
    return batch;
  }
}
