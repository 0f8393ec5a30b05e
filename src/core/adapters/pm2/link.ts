import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { LinkFailure } from "./failure.ts";
import type { Answer, Call, Request, Response, WorkerData } from "./protocol.ts";

export interface LinkOptions extends WorkerData {
  /** The whole environment of the worker. */
  readonly env: Readonly<Record<string, string>>;
}

/** A worker that is started by the first call, and anew by a call after it ended. */
export interface Link {
  /**
   * @throws {LinkFailure} where the worker refuses, ends or falls silent; the reason of the signal,
   *   where it is aborted.
   */
  call(call: Call, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

interface Pending {
  readonly settle: (response: Extract<Response, { ok: boolean }>) => void;
  readonly fail: (failure: LinkFailure) => void;
  readonly prolong: (patienceMs: number) => void;
  isHandedOver: boolean;
}

/** What a worker needs beyond the patience that it has itself: to load PM2, and to tell. */
const SLACK_MS = 30_000;
const MOST_MEGABYTES = 512;

export function workerLink(options: LinkOptions): Link {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let ids = 0;

  const lose = (lost: Worker, why: string): void => {
    // What is pending now is another worker's where this one was given up before.
    if (worker !== lost) return;
    worker = undefined;
    for (const [id, call] of pending) {
      pending.delete(id);
      call.fail(workerLost(why, call.isHandedOver));
    }
  };
  const started = (): Worker => {
    if (worker !== undefined) return worker;
    const fresh = startWorker(options, (response) => hear(pending, response));
    fresh.once("error", (error: unknown) => lose(fresh, error instanceof Error ? error.message : "it failed"));
    fresh.once("exit", (code) => lose(fresh, `it ended with ${code}`));
    worker = fresh;
    return fresh;
  };

  return {
    call(call, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      const id = ++ids;
      const target = started();
      const giveUp = (): void => {
        lose(target, "it fell silent");
        void target.terminate();
      };
      return new Promise<Answer>((resolve, reject) => {
        pending.set(id, expectation(resolve, reject, { giveUp, patienceMs: options.timeoutMs, signal }));
        target.ref();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
        target.postMessage({ id, call } satisfies Request);
      }).finally(() => {
        pending.delete(id);
        // An idle link keeps no process alive.
        if (pending.size === 0) target.unref();
      });
    },
    async close() {
      const closing = worker;
      if (closing === undefined) return;
      lose(closing, "it was closed");
      await closing.terminate();
    },
  };
}

function startWorker({ env, socket, salt, timeoutMs }: LinkOptions, onResponse: (response: Response) => void): Worker {
  const program = new URL("./pm2-worker.ts", import.meta.url);
  const isSource = program.pathname.endsWith(".ts");
  const worker = new Worker(isSource ? fromSource(program) : program, {
    eval: isSource,
    env,
    workerData: { socket, salt, timeoutMs } satisfies WorkerData,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    // Nothing of it shall reach ours; reading it would keep this process alive.
    stdout: true,
    stderr: true,
  });
  worker.on("message", onResponse);
  return worker;
}

/** The worker is TypeScript where the package is not built. */
function fromSource(program: URL): string {
  const tsx = JSON.stringify(createRequire(import.meta.url).resolve("tsx/cjs/api"));
  const path = JSON.stringify(fileURLToPath(program));
  return `require(${tsx}).require(${path}, ${path})`;
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

/** One call that is waited for: the worker keeps time itself, this is for a worker that cannot. */
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

function refusal(code: string, details: string, isHandedOver: boolean): LinkFailure {
  return new LinkFailure(code, isHandedOver && UNDECIDED.has(code) ? outcomeUnknown(details) : details);
}

function workerLost(why: string, isHandedOver: boolean): LinkFailure {
  const details = `The link to PM2 was lost: ${why}.`;
  return new LinkFailure("PM2_CONNECTION_LOST", isHandedOver ? outcomeUnknown(details) : details);
}

function outcomeUnknown(details: string): string {
  return `${details} The action had been handed to PM2: look at the list whether it took effect.`;
}
