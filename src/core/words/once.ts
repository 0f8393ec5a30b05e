export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Callers during a run share the next one, so each run sees every change made before its callers called. */
export function oneAtATime<T>(work: (key: string) => Promise<T>): (key?: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const run = work(key);
    running.set(key, run);
    const end = (): unknown => running.get(key) === run && running.delete(key);
    run.then(end, end); // each caller gets the error
    return run;
  };
  const startAfter = (key: string, current: Promise<T>): Promise<T> => {
    const begin = (): Promise<T> => {
      next.delete(key);
      return start(key);
    };
    const run = current.then(begin, begin);
    next.set(key, run);
    return run;
  };
  return (key = "") => {
    const current = running.get(key);
    return next.get(key) ?? (current === undefined ? start(key) : startAfter(key, current));
  };
}
