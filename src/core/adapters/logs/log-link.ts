import { randomBytes } from "node:crypto";
import type { Worker } from "node:worker_threads";
import { SvcmError } from "../../errors.ts";
import type { LogBatch } from "../../ports/logs.ts";
import { startProgram } from "../worker-program.ts";
import { unpackedLines } from "./packed.ts";
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
const SILENT_MS = 5000;
const LOOK_MS = 1000;
const MOST_MEGABYTES = 512;

export class LogLink {
  readonly #data: WorkerData;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, WatchListener>();
  #worker: Worker | undefined;
  #ids = 0;
  #heardMs = 0;
  #guard: NodeJS.Timeout | undefined;

  constructor(data: Omit<WorkerData, "key">) {
    this.#data = { ...data, key: randomBytes(32) };
  }

  /** @throws {SvcmError} the worker's failure, or LOGS_FAILED */
  call(call: Call, secrets: readonly string[]): Promise<Answer> {
    const id = ++this.#ids;
    return new Promise<Answer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.post({ id, call, secrets });
      if (hasPattern(call)) this.#expectLife();
    }).finally(() => this.#rest());
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
    this.#rest();
  }

  async close(): Promise<void> {
    const closing = this.#worker;
    if (closing === undefined) return;
    this.#lose(closing, ended("it was closed"));
    await closing.terminate();
  }

  #start(): Worker {
    const worker = startProgram(new URL("./log-worker.ts", import.meta.url), {
      env: {},
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
      stdout: true,
      stderr: true,
    });
    worker.on("message", (response: Response) => this.#hear(response));
    worker.once("error", () => this.#lose(worker, ended("it failed")));
    worker.once("exit", (code) => this.#lose(worker, ended(`it ended with ${code}`)));
    return worker;
  }

  #hear(response: Response): void {
    this.#heardMs = performance.now();
    if ("isAlive" in response) return;
    if ("key" in response) {
      const { lines, skipped } = response.batch;
      return this.#give(response.key, { lines: unpackedLines(lines), skipped });
    }
    const call = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("failure" in response) call?.reject(refusalOf(response.failure));
    else call?.resolve(response);
  }

  #give(key: string, batch: Batch): void {
    if (this.#listeners.get(key)?.onBatch(batch)) this.post({ call: { method: "taken", key } });
  }

  #rest(): void {
    if (this.#pending.size > 0 || this.#listeners.size > 0) return;
    clearInterval(this.#guard);
    this.#guard = undefined;
    this.#worker?.unref();
  }

  #expectLife(): void {
    this.#heardMs = performance.now();
    this.#guard ??= setInterval(() => {
      if (performance.now() - this.#heardMs < SILENT_MS || this.#worker === undefined) return;
      const stuck = this.#worker;
      this.#lose(stuck, tooSlow());
      void stuck.terminate();
    }, LOOK_MS);
  }

  #lose(lost: Worker, why: SvcmError): void {
    if (this.#worker !== lost) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(why);
    this.#pending.clear();
    for (const listener of this.#listeners.values()) listener.onEnd(why);
    this.#listeners.clear();
    this.#rest();
  }
}

function hasPattern(call: Call): boolean {
  if (call.method === "read") return call.query.regexp !== undefined;
  return call.method === "watch" && call.filter.regexp !== undefined;
}

function refusalOf({ kind, code, details }: Failure): SvcmError {
  return new SvcmError(kind, { code, details });
}

function ended(why: string): SvcmError {
  return new SvcmError("LOGS_FAILED", { details: `Reading the logs ended: ${why}.` });
}

function tooSlow(): SvcmError {
  const details =
    "--regexp: the pattern takes longer than 5 s for one line. Accepted: a pattern without nested repetitions.";
  const hint = "Search for text instead: --grep TEXT";
  return new SvcmError("INVALID_REQUEST", { code: "LOG_PATTERN_SLOW", details, hint });
}
