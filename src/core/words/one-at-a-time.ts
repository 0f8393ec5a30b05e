/** `signal` aborts when the last caller stops waiting. */
type Work<T> = (key: string, stop: Pick<Stop, "signal">) => Promise<T>;

/** Makes its signal on first use, because most work is too short to be stopped. */
class Stop {
  #controller: AbortController | undefined;
  #isAborted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

interface Job<T> {
  readonly result: Promise<T>;
  readonly stop: Stop;
  waiting: number;
  isOver: boolean;
}

function jobOf<T>(result: Promise<T>, stop: Stop): Job<T> {
  const job = { result, stop, waiting: 0, isOver: false };
  const end = (): unknown => (job.isOver = true);
  result.then(end, end); // each caller gets the error; all may have left
  return job;
}

/**
 * Limits work for each key to one run and one waiting run. Callers during a run share the next one, so each run sees
 * every change that was made before its callers asked for it.
 */
export function oneAtATime<T>(work: Work<T>): (key?: string, signal?: AbortSignal) => Promise<T> {
  const running = new Map<string, Job<T>>();
  const next = new Map<string, Job<T>>();

  const start = (key: string): Job<T> => {
    const stop = new Stop();
    const job = jobOf(work(key, stop), stop);
    running.set(key, job);
    const end = (): unknown => running.get(key) === job && running.delete(key);
    job.result.then(end, end);
    return job;
  };
  const startAfter = (key: string, current: Promise<unknown>): Job<T> => {
    const stop = new Stop();
    const begin = (): Promise<T> => {
      if (next.get(key) === job) next.delete(key);
      stop.signal.throwIfAborted();
      const started = start(key);
      stop.signal.addEventListener("abort", () => started.stop.abort(), { once: true });
      return started.result;
    };
    const job = jobOf(current.then(begin, begin), stop);
    next.set(key, job);
    return job;
  };
  const jobFor = (key: string): Job<T> => {
    const current = running.get(key);
    if (current === undefined) return start(key);
    const waiting = next.get(key);
    return waiting === undefined || waiting.stop.isAborted ? startAfter(key, current.result) : waiting;
  };
  return (key = "", signal) => waitFor(jobFor(key), signal);
}

async function waitFor<T>(job: Job<T>, signal: AbortSignal | undefined): Promise<T> {
  job.waiting += 1;
  let giveUp: (() => void) | undefined;
  try {
    if (signal === undefined) return await job.result;
    signal.throwIfAborted();
    const aborted = new Promise<never>((_resolve, reject) => {
      giveUp = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", giveUp, { once: true });
    });
    return await Promise.race([job.result, aborted]);
  } finally {
    if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
    job.waiting -= 1;
    if (job.waiting === 0 && !job.isOver) job.stop.abort();
  }
}
