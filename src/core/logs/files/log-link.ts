import type { LogLine } from "../../api/logs.ts";
import { SvcmError } from "../../api/errors.ts";
import { startWorker } from "../../files/start-worker.ts";
import {
  type PackedLines,
  toLogLines,
  unpackLines,
  type Batch,
  type Call,
  type Failure,
  mapLines,
  type ReaderData,
  type Request,
  type Response,
} from "./protocol.ts";

type Answer = Extract<Response<LogLine>, { readonly page: unknown } | { readonly places: unknown }>;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export interface WatchListener {
  /** Returns whether the reader may send the next batch. */
  onBatch(batch: Batch<LogLine>): boolean;
  onEnd(error: Error): void;
}

/** A reader of logs, in a worker or in this thread. */
interface Reader {
  post(request: Request): void;
  /** A busy reader keeps the program running. */
  setBusy(isBusy: boolean): void;
  end(): Promise<unknown>;
}

export type StartReader = (
  data: ReaderData,
  on: { readonly response: (response: Response<LogLine>) => void; readonly end: (reason: string) => void },
) => Reader;

/** A regular expression may run forever on one line. */
const MAX_SILENCE_MS = 5000;
const CHECK_INTERVAL_MS = 1000;

export class LogLink {
  readonly #data: ReaderData;
  readonly #startReader: StartReader;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, WatchListener>();
  #reader: Reader | undefined;
  #lastId = 0;
  /** The reads and watches with a pattern: only their silence means that the reader is stuck. */
  readonly #patterns = new Set<number | string>();
  #lastResponseMs = 0;
  #silenceCheck: NodeJS.Timeout | undefined;

  constructor(data: ReaderData, startReader: StartReader) {
    this.#data = data;
    this.#startReader = startReader;
  }

  /** @throws {SvcmError} the reader's failure, or LOGS_FAILED */
  call(call: Call, secrets: readonly string[]): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.post({ id, call, secrets });
      if (hasPattern(call)) this.#watchForSilence(call.method === "watch" ? call.key : id);
    }).finally(() => {
      this.#patterns.delete(id);
      this.#unrefIfIdle();
    });
  }

  prepare(): void {
    this.#reader ??= this.#start();
  }

  post(request: Request | { readonly call: Call }): void {
    const reader = (this.#reader ??= this.#start());
    reader.setBusy(true);
    reader.post({ id: 0, secrets: [], ...request });
  }

  listen(key: string, listener: WatchListener): void {
    this.#listeners.set(key, listener);
  }

  leave(key: string): void {
    if (!this.#listeners.delete(key)) return;
    this.#patterns.delete(key);
    if (this.#reader) this.post({ call: { method: "leave", key } });
    this.#unrefIfIdle();
  }

  async close(): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#lose(reader, endedError("it was closed"));
    await reader.end();
  }

  #start(): Reader {
    const reader = this.#startReader(this.#data, {
      response: (response) => this.#receive(response),
      end: (reason) => this.#lose(reader, endedError(reason)),
    });
    return reader;
  }

  #receive(response: Response<LogLine>): void {
    this.#lastResponseMs = performance.now();
    if ("isAlive" in response) return;
    if ("key" in response) return this.#deliver(response.key, response.batch);
    const call = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("failure" in response) call?.reject(toSvcmError(response.failure));
    else call?.resolve(response);
  }

  #deliver(key: string, batch: Batch<LogLine>): void {
    if (this.#listeners.get(key)?.onBatch(batch)) this.post({ call: { method: "taken", key } });
  }

  #unrefIfIdle(): void {
    if (this.#patterns.size === 0) {
      clearInterval(this.#silenceCheck);
      this.#silenceCheck = undefined;
    }
    if (this.#pending.size === 0 && this.#listeners.size === 0) this.#reader?.setBusy(false);
  }

  #watchForSilence(pattern: number | string): void {
    this.#patterns.add(pattern);
    if (this.#silenceCheck !== undefined) return;
    this.#lastResponseMs = performance.now();
    this.#silenceCheck = setInterval(() => {
      if (performance.now() - this.#lastResponseMs < MAX_SILENCE_MS || this.#reader === undefined) return;
      const stuck = this.#reader;
      this.#lose(stuck, tooSlowError());
      void stuck.end();
    }, CHECK_INTERVAL_MS);
  }

  #lose(lost: Reader, reason: SvcmError): void {
    if (this.#reader !== lost) return;
    this.#reader = undefined;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const listener of this.#listeners.values()) listener.onEnd(reason);
    this.#listeners.clear();
    this.#patterns.clear();
    this.#unrefIfIdle();
  }
}

/** A pattern that never ends blocks only the worker, and a long search delays no other answer. */
export const readInWorker: StartReader = (data, on) => {
  const worker = startWorker(new URL("./log-worker.ts", import.meta.url), { env: {}, workerData: data });
  worker.on("message", (response: Response<PackedLines>) => on.response(mapLines(response, unpackLines)));
  worker.once("error", () => on.end("it failed"));
  worker.once("exit", (code) => on.end(`it ended with ${code}`));
  // A program that never reads may end: the secrets of an invalid svcm.yaml refuse the first call.
  worker.unref();
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    post: (request) => worker.postMessage(request),
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  };
};

/** A command that waits for its lines alone would wait for the start of a worker, too. */
export const readInThread: StartReader = (data, on) => {
  const started = import("./log-reader.ts").then(({ LogReader }) => {
    const reader = new LogReader(
      data,
      (response) => on.response(mapLines(response, toLogLines)),
      () => {
        on.end("it failed");
        reader.close();
      },
    );
    return reader;
  });
  return {
    post: (request) => void started.then((reader) => reader.answer(request)),
    setBusy: () => undefined,
    end: async () => (await started).close(),
  };
};

function hasPattern(call: Call): boolean {
  if (call.method === "read") return call.query.regexp !== undefined;
  return call.method === "watch" && call.filter.regexp !== undefined;
}

function toSvcmError({ kind, code, details }: Failure): SvcmError {
  return new SvcmError(kind, { code, details });
}

function endedError(reason: string): SvcmError {
  return new SvcmError("LOGS_FAILED", { details: `Reading the logs ended: ${reason}.` });
}

function tooSlowError(): SvcmError {
  const details =
    "--regexp: the pattern takes longer than 5 s for one line. Accepted: a pattern without nested repetitions.";
  const hint = "Search for text instead: --grep TEXT";
  return new SvcmError("INVALID_REQUEST", { code: "LOG_PATTERN_SLOW", details, hint });
}
