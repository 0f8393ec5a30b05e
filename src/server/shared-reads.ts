import type { Ports } from "../core/index.ts";

type Files = Ports["files"];

/**
 * The same files, where reads of one path that come while another is under way share the next one.
 * Each still begins after it was asked for, so it sees every change that was made before; and
 * however many clients ask at once, a file is read by one at a time.
 */
export function sharedReads(files: Files): Files {
  const running = new Map<string, Promise<Uint8Array>>();
  const next = new Map<string, Promise<Uint8Array>>();

  const start = (path: string): Promise<Uint8Array> => {
    const reading = files.read(path);
    const end = (): boolean => running.get(path) === reading && running.delete(path);
    running.set(path, reading);
    reading.then(end, end);
    return reading;
  };
  const startAfter = (path: string, current: Promise<Uint8Array>): Promise<Uint8Array> => {
    const begin = (): Promise<Uint8Array> => {
      next.delete(path);
      return start(path);
    };
    const reading = current.then(begin, begin);
    next.set(path, reading);
    return reading;
  };
  return {
    read(path) {
      const current = running.get(path);
      return current === undefined ? start(path) : (next.get(path) ?? startAfter(path, current));
    },
    replace: (path, decide, beforeWrite) => files.replace(path, decide, beforeWrite),
    create: (path, content, beforeWrite) => files.create(path, content, beforeWrite),
  };
}
