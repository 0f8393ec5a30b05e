import { stat, statfs } from "node:fs/promises";
import { setImmediate as nextTurn, setTimeout as after } from "node:timers/promises";
import { foreignCode } from "../../api/code.ts";
import type { DiskReading } from "../../metrics/reading.ts";
import { errorCode } from "../../words/thrown.ts";

const KEPT_MS = 15_000;
/** A disconnected network disk never answers. */
const PATIENCE_MS = 1000;

export class DiskReader {
  readonly #paths: readonly string[];
  readonly #patienceMs: number;
  /** Another request for such a path would block another thread of the pool. */
  readonly #stuck = new Set<string>();
  #last: { readonly atMs: number; readonly disks: Promise<readonly DiskReading[]> } | undefined;

  constructor(paths: readonly string[], patienceMs = PATIENCE_MS) {
    this.#paths = [...new Set(paths)];
    this.#patienceMs = patienceMs;
  }

  read(): Promise<readonly DiskReading[]> {
    const now = performance.now();
    if (this.#last === undefined || now - this.#last.atMs >= KEPT_MS)
      this.#last = { atMs: now, disks: this.#readAll() };
    return this.#last.disks;
  }

  async #readAll(): Promise<readonly DiskReading[]> {
    const read = await Promise.all(this.#paths.map((path) => this.#readInTime(path)));
    const seen = new Set<number | string>();
    return read.flatMap(({ device, disk }) => {
      // PM2's folder does not exist before the first run of PM2.
      if (seen.has(device) || ("code" in disk && disk.code === "ENOENT")) return [];
      seen.add(device);
      return [disk];
    });
  }

  async #readInTime(path: string): Promise<Found> {
    if (this.#stuck.has(path)) return failed(path, "ETIMEDOUT");
    this.#stuck.add(path);
    const answer = readOne(path).catch((error: unknown) => failed(path, errorCode(error)));
    const done = answer.finally(() => this.#stuck.delete(path));
    const patience = new AbortController();
    const late = after(this.#patienceMs, failed(path, "ETIMEDOUT"), { signal: patience.signal, ref: false });
    // If svcm itself was paused, a response that arrived meanwhile counts.
    const found = await Promise.race([done, late.then(nextTurn).catch(() => done)]);
    patience.abort();
    return found;
  }
}

interface Found {
  readonly device: number | string;
  readonly disk: DiskReading;
}

async function readOne(path: string): Promise<Found> {
  const [{ dev: device }, { bsize, blocks, bfree, bavail }] = await Promise.all([stat(path), statfs(path)]);
  const disk = { path, blockBytes: bsize, blocks, freeBlocks: bfree, availableBlocks: bavail };
  return { device, disk };
}

function failed(path: string, system: string): Found {
  const code = foreignCode(system);
  return { device: path, disk: { path, code, error: `The file system of this path cannot be read (${code}).` } };
}
