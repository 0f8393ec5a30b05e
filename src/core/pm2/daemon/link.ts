import type { ErrorCode } from "../../api/issue.ts";
import type { Worker } from "node:worker_threads";
import { startWorker } from "../../files/start-worker.ts";
import { LinkFailure } from "./failure.ts";
import type { Answer, Call, Request, Response, WorkerData } from "./protocol.ts";

export interface LinkOptions extends WorkerData {
  readonly env: Readonly<Record<string, string>>;
}

interface Pending {
  readonly respond: (response: Extract<Response, { ok: boolean }>) => void;
  readonly fail: (failure: LinkFailure) => void;
  readonly extendTimeout: (waitMs: number) => void;
  isHandedOver: boolean;
}

const SLACK_MS = 30_000;

/** The first call starts the worker, and so does a call after its end. */
export class Link {
  readonly #options: LinkOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** @throws {LinkFailure} if the worker refuses, ends or does not respond; the signal's reason if it is aborted */
  call(call: Call, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#lastId;
    const target = (this.#worker ??= this.#start());
    const onTimeout = (): void => {
      this.#lose(target, "it stopped responding");
      void target.terminate();
    };
    return new Promise<Answer>((resolve, reject) => {
      const { timeoutMs: waitMs } = this.#options;
      this.#pending.set(id, createPending(resolve, reject, { onTimeout, waitMs, signal }));
      target.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      target.postMessage({ id, call } satisfies Request);
    }).finally(() => {
      this.#pending.delete(id);
      if (this.#pending.size === 0) target.unref();
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker, "it was closed");
    await worker.terminate();
  }

  #start(): Worker {
    const { env, socket, salt, timeoutMs, places } = this.#options;
    const workerData: WorkerData = { socket, salt, timeoutMs, places };
    const worker = startWorker(new URL("./pm2-worker.ts", import.meta.url), { env, workerData });
    worker.on("message", (response: Response) => handleResponse(this.#pending, response));
    worker.once("error", (error: unknown) => this.#lose(worker, error instanceof Error ? error.message : "it failed"));
    worker.once("exit", (code) => this.#lose(worker, `it ended with ${code}`));
    return worker;
  }

  #lose(lost: Worker, reason: string): void {
    // If this worker was already replaced, the pending calls belong to its successor.
    if (this.#worker !== lost) return;
    this.#worker = undefined;
    for (const [id, call] of this.#pending) {
      this.#pending.delete(id);
      call.fail(workerLostFailure(reason, call.isHandedOver));
    }
  }
}

function handleResponse(pending: ReadonlyMap<number, Pending>, response: Response): void {
  const call = pending.get(response.id);
  if (call === undefined) return;
  if ("ok" in response) return call.respond(response);
  call.isHandedOver = true;
  call.extendTimeout(response.waitMs);
}

interface PendingOptions {
  readonly onTimeout: () => void;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

function createPending(
  resolve: (answer: Answer) => void,
  reject: (reason: Error) => void,
  { onTimeout, waitMs, signal }: PendingOptions,
): Pending {
  let timer = setTimeout(onTimeout, waitMs * 2 + SLACK_MS);
  const abort = (): void => end(() => reject(signal?.reason as Error));
  const end = (then: () => void): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    then();
  };
  signal?.addEventListener("abort", abort, { once: true });
  const pending: Pending = {
    isHandedOver: false,
    respond: (response) =>
      end(() => {
        if (!response.ok)
          return reject(toFailure(response.failure.code, response.failure.details, pending.isHandedOver));
        resolve(response.answer);
      }),
    fail: (failure) => end(() => reject(failure)),
    extendTimeout: (ms) => {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, ms + SLACK_MS);
    },
  };
  return pending;
}

const OUTCOME_UNKNOWN = new Set(["PM2_TIMEOUT", "PM2_CONNECTION_LOST"]);

function toFailure(code: ErrorCode, details: string, isHandedOver: boolean): LinkFailure {
  return new LinkFailure(code, isHandedOver && OUTCOME_UNKNOWN.has(code) ? withUnknownOutcome(details) : details);
}

function workerLostFailure(reason: string, isHandedOver: boolean): LinkFailure {
  const details = `The link to PM2 was lost: ${reason}.`;
  return new LinkFailure("PM2_CONNECTION_LOST", isHandedOver ? withUnknownOutcome(details) : details);
}

function withUnknownOutcome(details: string): string {
  return `${details} The action had been handed to PM2: check in the list whether it took effect.`;
}
