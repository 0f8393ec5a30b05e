import { randomBytes } from "node:crypto";
import type { Worker } from "node:worker_threads";
import { SvcmError } from "../../api/errors.ts";
import type { LogBatch } from "../port-logs.ts";
import { startWorker } from "../../files/start-worker.ts";
import { unpackLines } from "./packed.ts";
import type { Call, Failure, Request, Response, WorkerData } from "./protocol.ts";

type Answer = Extract<Response, { readonly page: unknown } | { readonly places: unknown }>;
type Batch = Omit<LogBatch, "begin">;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export interface WatchListener {
  /** Returns whether the worker may send the next batch. */
  onBatch(batch: Batch): boolean;
  onEnd(error: Error): void;
}

/** A regular expression may run forever on one line. */
const MAX_SILENCE_MS = 5000;
const CHECK_INTERVAL_MS = 1000;

export class LogLink {
  readonly #data: WorkerData;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, WatchListener>();
  #worker: Worker | undefined;
  #lastId = 0;
  #lastResponseMs = 0;
  #silenceCheck: NodeJS.Timeout | undefined;

  constructor(data: Omit<WorkerData, "key">) {
    this.#data = { ...data, key: randomBytes(32) };
  }

  /** @throws {SvcmError} the worker's failure, or LOGS_FAILED */
  call(call: Call, secrets: readonly string[]): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.post({ id, call, secrets });
      if (hasPattern(call)) this.#watchForSilence();
    }).finally(() => this.#unrefIfIdle());
  }

  prepare(): void {
    this.#worker ??= this.#start();
  }

  post(request: Request | { readonly call: Call }): void {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage({ id: 0, secrets: [], ...request } satisfies Request);
  }

  listen(key: string, listener: WatchListener): void {
    this.#listeners.set(key, listener);
  }

  leave(key: string): void {
    if (!this.#listeners.delete(key)) return;
    if (this.#worker) this.post({ call: { method: "leave", key } });
    this.#unrefIfIdle();
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker, endedError("it was closed"));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = startWorker(new URL("./log-worker.ts", import.meta.url), {
      env: {},
      workerData: this.#data,
    });
    worker.on("message", (response: Response) => this.#receive(response));
    worker.once("error", () => this.#lose(worker, endedError("it failed")));
    worker.once("exit", (code) => this.#lose(worker, endedError(`it ended with ${code}`)));
    return worker;
  }

  #receive(response: Response): void {
    this.#lastResponseMs = performance.now();
    if ("isAlive" in response) return;
    if ("key" in response) {
      const { lines, skipped } = response.batch;
      return this.#deliver(response.key, { lines: unpackLines(lines), skipped });
    }
    const call = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("failure" in response) call?.reject(toSvcmError(response.failure));
    else call?.resolve(response);
  }

  #deliver(key: string, batch: Batch): void {
    if (this.#listeners.get(key)?.onBatch(batch)) this.post({ call: { method: "taken", key } });
  }

  #unrefIfIdle(): void {
    if (this.#pending.size > 0 || this.#listeners.size > 0) return;
    clearInterval(this.#silenceCheck);
    this.#silenceCheck = undefined;
    this.#worker?.unref();
  }

  #watchForSilence(): void {
    this.#lastResponseMs = performance.now();
    this.#silenceCheck ??= setInterval(() => {
      if (performance.now() - this.#lastResponseMs < MAX_SILENCE_MS || this.#worker === undefined) return;
      const stuck = this.#worker;
      this.#lose(stuck, tooSlowError());
      void stuck.terminate();
    }, CHECK_INTERVAL_MS);
  }

  #lose(lost: Worker, reason: SvcmError): void {
    if (this.#worker !== lost) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const listener of this.#listeners.values()) listener.onEnd(reason);
    this.#listeners.clear();
    this.#unrefIfIdle();
  }
}

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
