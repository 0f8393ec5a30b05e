import type { ErrorCode } from "../../api/code.ts";
import type { Worker } from "node:worker_threads";
import { startProgram } from "../worker-program.ts";
import { LinkFailure } from "./failure.ts";
import type { Answer, Call, Request, Response, WorkerData } from "./protocol.ts";

export interface LinkOptions extends WorkerData {
  readonly env: Readonly<Record<string, string>>;
}

export interface Link {
  /** @throws {LinkFailure} if the worker refuses, ends or does not respond; the signal's reason if it is aborted */
  call(call: Call, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

interface Pending {
  readonly settle: (response: Extract<Response, { ok: boolean }>) => void;
  readonly fail: (failure: LinkFailure) => void;
  readonly prolong: (patienceMs: number) => void;
  isHandedOver: boolean;
}

const SLACK_MS = 30_000;
const MOST_MEGABYTES = 512;

export function workerLink(options: LinkOptions): Link {
  return new WorkerLink(options);
}

class WorkerLink implements Link {
  readonly #options: LinkOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #ids = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  call(call: Call, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#ids;
    const target = (this.#worker ??= this.#start());
    const giveUp = (): void => {
      this.#lose(target, "it stopped responding");
      void target.terminate();
    };
    return new Promise<Answer>((resolve, reject) => {
      const { timeoutMs: patienceMs } = this.#options;
      this.#pending.set(id, expectation(resolve, reject, { giveUp, patienceMs, signal }));
      target.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      target.postMessage({ id, call } satisfies Request);
    }).finally(() => {
      this.#pending.delete(id);
      if (this.#pending.size === 0) target.unref();
    });
  }

  async close(): Promise<void> {
    const closing = this.#worker;
    if (closing === undefined) return;
    this.#lose(closing, "it was closed");
    await closing.terminate();
  }

  #start(): Worker {
    const worker = startWorker(this.#options, (response) => hear(this.#pending, response));
    worker.once("error", (error: unknown) => this.#lose(worker, error instanceof Error ? error.message : "it failed"));
    worker.once("exit", (code) => this.#lose(worker, `it ended with ${code}`));
    return worker;
  }

  #lose(lost: Worker, why: string): void {
    // If this worker was already replaced, the pending calls belong to its successor.
    if (this.#worker !== lost) return;
    this.#worker = undefined;
    for (const [id, call] of this.#pending) {
      this.#pending.delete(id);
      call.fail(workerLost(why, call.isHandedOver));
    }
  }
}

function startWorker({ env, socket, salt, timeoutMs }: LinkOptions, onResponse: (response: Response) => void): Worker {
  const worker = startProgram(new URL("./pm2-worker.ts", import.meta.url), {
    env,
    workerData: { socket, salt, timeoutMs } satisfies WorkerData,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    // Keeps the worker's output out of ours. Consuming it would keep the process alive.
    stdout: true,
    stderr: true,
  });
  worker.on("message", onResponse);
  return worker;
}

function hear(pending: ReadonlyMap<number, Pending>, response: Response): void {
  const call = pending.get(response.id);
  if (call === undefined) return;
  if ("ok" in response) return call.settle(response);
  call.isHandedOver = true;
  call.prolong(response.patienceMs);
}

interface Waiting {
  readonly giveUp: () => void;
  readonly patienceMs: number;
  readonly signal: AbortSignal | undefined;
}

function expectation(
  resolve: (answer: Answer) => void,
  reject: (reason: Error) => void,
  { giveUp, patienceMs, signal }: Waiting,
): Pending {
  let timer = setTimeout(giveUp, patienceMs * 2 + SLACK_MS);
  const abort = (): void => end(() => reject(signal?.reason as Error));
  const end = (then: () => void): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    then();
  };
  signal?.addEventListener("abort", abort, { once: true });
  const expected: Pending = {
    isHandedOver: false,
    settle: (response) =>
      end(() => {
        if (!response.ok)
          return reject(refusal(response.failure.code, response.failure.details, expected.isHandedOver));
        resolve(response.answer);
      }),
    fail: (failure) => end(() => reject(failure)),
    prolong: (ms) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, ms + SLACK_MS);
    },
  };
  return expected;
}

const UNDECIDED = new Set(["PM2_TIMEOUT", "PM2_CONNECTION_LOST"]);

function refusal(code: ErrorCode, details: string, isHandedOver: boolean): LinkFailure {
  return new LinkFailure(code, isHandedOver && UNDECIDED.has(code) ? outcomeUnknown(details) : details);
}

function workerLost(why: string, isHandedOver: boolean): LinkFailure {
  const details = `The link to PM2 was lost: ${why}.`;
  return new LinkFailure("PM2_CONNECTION_LOST", isHandedOver ? outcomeUnknown(details) : details);
}

function outcomeUnknown(details: string): string {
  return `${details} The action had been handed to PM2: check in the list whether it took effect.`;
}
