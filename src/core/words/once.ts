export function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

/** Callers during a run share the next one, so each run sees every change made before its callers called. */
export function oneAtATime<T>(work: (key: string) => Promise<T>): (key?: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const run = work(key);
    running.set(key, run);
    const forget = (): unknown => running.get(key) === run && running.delete(key);
    run.then(forget, forget); // each caller gets the error
    return run;
  };
  const startAfter = (key: string, current: Promise<T>): Promise<T> => {
    const startNext = (): Promise<T> => {
      next.delete(key);
      return start(key);
    };
    const run = current.then(startNext, startNext);
    next.set(key, run);
    return run;
  };
  return (key = "") => {
    const current = running.get(key);
    return next.get(key) ?? (current === undefined ? start(key) : startAfter(key, current));
  };
}
