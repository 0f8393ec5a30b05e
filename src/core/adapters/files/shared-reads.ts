import type { Files, ReadOptions } from "../../ports.ts";

/**
 * Reads where those of one path that come while another is under way share the next one.
 * Each still begins after it was asked for, so it sees every change that was made before; and
 * however many clients ask at once, a file is read by one at a time.
 */
export function sharedReads(read: Files["read"]): Files["read"] {
  const running = new Map<string, Promise<Uint8Array>>();
  const next = new Map<string, Promise<Uint8Array>>();

  const start = (key: string, path: string, options: ReadOptions): Promise<Uint8Array> => {
    const reading = read(path, options);
    const end = (): boolean => running.get(key) === reading && running.delete(key);
    running.set(key, reading);
    reading.then(end, end);
    return reading;
  };
  return async (path, options = {}) => {
    const key = `${options.maxBytes}:${options.mayBeOutside}:${path}`;
    const current = running.get(key);
    if (current === undefined) return await start(key, path, options);
    const waiting = next.get(key);
    if (waiting) return await waiting;
    const begin = (): Promise<Uint8Array> => {
      next.delete(key);
      return start(key, path, options);
    };
    const reading = current.then(begin, begin);
    next.set(key, reading);
    return await reading;
  };
}
