import { stat, statfs } from "node:fs/promises";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { foreignCode } from "../../api/issue.ts";
import type { DiskReading } from "../../files/reading.ts";
import { errorCode } from "../../words/thrown.ts";
import { hostname } from "node:os";
import type { HostSystem } from "../../api/metrics.ts";

const CACHE_MS = 15_000;
/** A disconnected network disk never answers. */
const DISK_TIMEOUT_MS = 1000;

export class DiskReader {
  readonly #paths: readonly string[];
  readonly #timeoutMs: number;
  /** Another request for such a path would block another thread of the pool. */
  readonly #stuck = new Set<string>();
  #last: { readonly atMs: number; readonly disks: Promise<readonly DiskReading[]> } | undefined;

  constructor(paths: readonly string[], timeoutMs = DISK_TIMEOUT_MS) {
    this.#paths = [...new Set(paths)];
    this.#timeoutMs = timeoutMs;
  }

  read(): Promise<readonly DiskReading[]> {
    const now = performance.now();
    if (this.#last === undefined || now - this.#last.atMs >= CACHE_MS)
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

  async #readInTime(path: string): Promise<DiskResult> {
    if (this.#stuck.has(path)) return failedDisk(path, "ETIMEDOUT");
    this.#stuck.add(path);
    const reading = readDisk(path).catch((error: unknown) => failedDisk(path, errorCode(error)));
    const done = reading.finally(() => this.#stuck.delete(path));
    const cancel = new AbortController();
    const timeout = delay(this.#timeoutMs, failedDisk(path, "ETIMEDOUT"), { signal: cancel.signal, ref: false });
    // If svcm itself was paused, a response that arrived meanwhile counts.
    const result = await Promise.race([done, timeout.then(nextTurn).catch(() => done)]);
    cancel.abort();
    return result;
  }
}

interface DiskResult {
  readonly device: number | string;
  readonly disk: DiskReading;
}

async function readDisk(path: string): Promise<DiskResult> {
  const [{ dev: device }, { bsize, blocks, bfree, bavail, files, ffree }] = await Promise.all([
    stat(path),
    statfs(path),
  ]);
  const freeInodes = files > 0 ? ffree : undefined;
  const disk = { path, blockBytes: bsize, blocks, freeBlocks: bfree, availableBlocks: bavail, freeInodes };
  return { device, disk };
}

function failedDisk(path: string, system: string): DiskResult {
  const code = foreignCode(system);
  return { device: path, disk: { path, code, error: `The file system of this path cannot be read (${code}).` } };
}

export interface SystemQuery {
  readonly system: HostSystem | null;
  readonly settled: Promise<void>;
}

/** systeminformation starts child processes, any of which may hang. */
const SYSTEM_TIMEOUT_MS = 1000;
/** A machine that runs containers has a network interface and a file system for each. */
const MAX_ITEMS = 16;
const VIRTUAL = /^(?:tmpfs|devtmpfs|overlay|squashfs|efivarfs|proc|sysfs|none)$/;

export function querySystem(): SystemQuery {
  let result: HostSystem | null = null;
  const reading = readSystem().then(
    (system) => void (result = system),
    () => undefined,
  );
  return {
    get system() {
      return result;
    },
    settled: Promise.race([reading, delay(SYSTEM_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

async function readSystem(): Promise<HostSystem> {
  const { fsSize, networkInterfaces, osInfo, system, time } = await import("systeminformation");
  const [os, machine, disks, interfaces] = await Promise.all([osInfo(), system(), fsSize(), networkInterfaces()]);
  const { uptime } = time();
  const list = Array.isArray(interfaces) ? interfaces : [interfaces];
  return {
    hostName: os.hostname || hostname(),
    os: [os.distro, os.release].filter((part) => part !== "" && part !== "unknown").join(" ") || process.platform,
    kernel: os.kernel,
    architecture: os.arch,
    virtualization: machine.virtual ? machine.virtualHost || "virtual" : null,
    bootedAt: uptime > 0 ? new Date(Math.round(Date.now() / 1000 - uptime) * 1000).toISOString() : null,
    fileSystems: disks
      .filter(({ type }) => !VIRTUAL.test(type))
      .slice(0, MAX_ITEMS)
      .map(({ mount, type, size }) => ({ path: mount, type, totalBytes: size })),
    interfaces: list
      .filter(({ internal, operstate, ip4, ip6 }) => !internal && operstate !== "down" && (ip4 || ip6))
      .slice(0, MAX_ITEMS)
      .map(({ iface, ip4, ip6 }) => ({ name: iface, addresses: [ip4, ip6].filter(Boolean) })),
  };
}
