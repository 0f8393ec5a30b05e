import { readFileSync, closeSync, openSync, readSync } from "node:fs";
import { cpus, endianness } from "node:os";
import { foreignCode } from "../../api/issue.ts";
import {
  parseAuxv,
  parseLoadavg,
  parseMeminfo,
  parseStat,
  type Units,
  hasEnded,
  parsePidIo,
  parsePidStat,
  parsePidStatm,
} from "../../files/proc.ts";
import { type GroupLimits, readGroupLimits } from "../../files/group-limits.ts";
import type { HostReading, MemoryReading, ProcessReading, IoReading, ProcessActivity } from "../../files/reading.ts";
import type { MachineReader } from "../../files/ports.ts";
import { errorCode } from "../../words/thrown.ts";
import { DiskReader, type SystemQuery } from "./disks.ts";
import { listIfReadable, readIfReadable } from "../../files/system.ts";

/** In a container, `/proc` shows the whole machine, of which its group may use a part. @param nowMs on a monotonic clock */
export function withinLimits(reading: HostReading, { cpu, memory }: GroupLimits, nowMs: number): HostReading {
  const isCpuLimited = cpu !== null && cpu.usedMs !== null && cpu.cores < reading.cores.size;
  const isMemoryLimited = memory !== null && memory.bytes < (reading.memory.totalBytes ?? Infinity);
  return {
    ...reading,
    ...(isCpuLimited && { all: { busy: cpu.usedMs ?? 0, total: nowMs * cpu.cores } }),
    ...(isMemoryLimited && { memory: memoryWithin(reading.memory, memory.bytes, memory.usedBytes) }),
  };
}

/** The machine may have less left than the group may take. */
function memoryWithin(machine: MemoryReading, totalBytes: number, usedBytes: number | null): MemoryReading {
  if (usedBytes === null) return { totalBytes, freeBytes: null, availableBytes: null };
  const leftBytes = Math.max(0, totalBytes - usedBytes);
  const atMost = (bytes: number | null): number => Math.min(leftBytes, bytes ?? leftBytes);
  return { totalBytes, freeBytes: atMost(machine.freeBytes), availableBytes: atMost(machine.availableBytes) };
}

/** The cores come first in `/proc/stat`; interrupts follow. */
const BUFFER_BYTES = 64 * 1024;

/** Small synchronous reads of `/proc` from open descriptors are 13 times faster than asynchronous ones. */
export function openLinux(paths: readonly string[], query: SystemQuery): MachineReader {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const host = new HostFiles(buffer);
  const processes = new ProcessReaders(buffer);
  const disks = new DiskReader(paths);
  return {
    cpuModel: cpus()[0]?.model ?? null,
    get system() {
      return query.system;
    },
    systemReady: query.settled,
    host: () => Promise.resolve(host.read()),
    processes: (pids) => Promise.resolve(processes.read(pids)),
    descendants: (pids) => descendantsOf(pids, "main thread"),
    disks: () => disks.read(),
    close() {
      host.close();
      processes.close();
    },
  };
}

class HostFiles {
  readonly #files: { readonly stat: ProcFile; readonly meminfo: ProcFile; readonly loadavg: ProcFile };

  constructor(buffer: Buffer) {
    const open = (name: string): ProcFile => new ProcFile(`/proc/${name}`, buffer);
    this.#files = { stat: open("stat"), meminfo: open("meminfo"), loadavg: open("loadavg") };
  }

  read(): HostReading {
    const { stat, meminfo, loadavg } = this.#files;
    const reading = {
      ...parseStat(stat.read()),
      memory: parseMeminfo(meminfo.read()),
      loadAvg: parseLoadavg(loadavg.read()),
    };
    return withinLimits(reading, readGroupLimits(), performance.now());
  }

  close(): void {
    for (const file of Object.values(this.#files)) file.close();
  }
}

class ProcessReaders {
  readonly #buffer: Buffer;
  readonly #units: Units = parseAuxv(readFileSync("/proc/self/auxv"), endianness() === "LE");
  readonly #readers = new Map<number, ProcessFiles>();

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  read(pids: readonly number[]): ReadonlyMap<number, ProcessReading> {
    const requestedPids = new Set(pids);
    for (const pid of this.#readers.keys()) if (!requestedPids.has(pid)) this.#close(pid);
    const readings = new Map<number, ProcessReading>();
    for (const pid of requestedPids) {
      const reading = this.#readProcess(pid);
      if (reading === undefined) this.#close(pid);
      else readings.set(pid, reading);
    }
    return readings;
  }

  close(): void {
    for (const pid of this.#readers.keys()) this.#close(pid);
  }

  #readProcess(pid: number): ProcessReading | undefined {
    try {
      const reader = this.#readers.get(pid) ?? ProcessFiles.open(pid, this.#buffer, this.#units);
      this.#readers.set(pid, reader);
      return reader.read();
    } catch (error) {
      // Too many files are open, or `/proc` hides processes of other users.
      const code = errorCode(error);
      if (code === "ENOENT") return undefined;
      const io = { supported: true, code: foreignCode(code), error: `The process cannot be read (${code}).` };
      return { atMs: performance.now(), cpuMs: null, cpuPercent: null, rssBytes: null, io };
    }
  }

  #close(pid: number): void {
    this.#readers.get(pid)?.close();
    this.#readers.delete(pid);
  }
}

const GONE_CODES = new Set(["ESRCH", "ENOENT"]);

class ProcessFiles {
  readonly #stat: ProcFile;
  readonly #statm: ProcFile;
  readonly #io: ProcFile | IoReading;
  readonly #units: Units;

  private constructor(stat: ProcFile, statm: ProcFile, io: ProcFile | IoReading, units: Units) {
    this.#stat = stat;
    this.#statm = statm;
    this.#io = io;
    this.#units = units;
  }

  static open(pid: number, buffer: Buffer, units: Units): ProcessFiles {
    const stat = new ProcFile(`/proc/${pid}/stat`, buffer);
    try {
      const statm = new ProcFile(`/proc/${pid}/statm`, buffer);
      return new ProcessFiles(stat, statm, openIoFile(pid, buffer), units);
    } catch (error) {
      stat.close();
      throw error;
    }
  }

  read(): ProcessReading | undefined {
    try {
      const stat = parsePidStat(this.#stat.read());
      if (stat === undefined || hasEnded(stat)) return undefined;
      const pages = parsePidStatm(this.#statm.read());
      return {
        atMs: performance.now(),
        cpuMs: (stat.cpuTicks / this.#units.ticksPerSecond) * 1000,
        cpuPercent: null,
        rssBytes: pages === null ? null : pages * this.#units.pageBytes,
        io: this.#readIo(),
      };
    } catch (error) {
      if (GONE_CODES.has(errorCode(error))) return undefined;
      throw error;
    }
  }

  close(): void {
    this.#stat.close();
    this.#statm.close();
    if (this.#io instanceof ProcFile) this.#io.close();
  }

  #readIo(): IoReading {
    if (!(this.#io instanceof ProcFile)) return this.#io;
    try {
      return parsePidIo(this.#io.read()) ?? ioFailure("EUNKNOWN");
    } catch (error) {
      const code = errorCode(error);
      if (GONE_CODES.has(code)) throw error;
      return ioFailure(code);
    }
  }
}

/** Only the owner of a process may read this file; root needs CAP_SYS_PTRACE. */
function openIoFile(pid: number, buffer: Buffer): ProcFile | IoReading {
  try {
    return new ProcFile(`/proc/${pid}/io`, buffer);
  } catch (error) {
    return ioFailure(errorCode(error));
  }
}

function ioFailure(code: string): IoReading {
  const error =
    code === "EACCES" || code === "EPERM"
      ? "The system does not let this user see the disk traffic of that process."
      : `The disk traffic of that process cannot be read (${code}).`;
  return { supported: true, code: foreignCode(code), error };
}

/** A file of `/proc` that stays bound to its process: reading fails with ESRCH even if the pid was reused. */
class ProcFile {
  readonly #fd: number;
  readonly #buffer: Buffer;

  constructor(path: string, buffer: Buffer) {
    this.#buffer = buffer;
    this.#fd = openSync(path, "r");
  }

  /** Latin-1, because svcm uses only ASCII. */
  read(): string {
    return this.#buffer.toString("latin1", 0, readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0));
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** A fork bomb must not stop svcm. */
const MAX_DESCENDANTS = 1000;

/** A child belongs to the thread that started it. Other threads than the main one hardly ever start any, and cost most of the time. */
type Threads = "main thread" | "all threads";

/** By process: its children, their children, and so on. */
export function descendantsOf(
  pids: readonly number[],
  threads: Threads = "all threads",
): ReadonlyMap<number, readonly number[]> {
  return new Map(pids.map((root) => [root, readDescendants(root, threads)]));
}

function readDescendants(root: number, threads: Threads): readonly number[] {
  const found = new Set<number>([root]);
  for (const pid of found) {
    if (found.size > MAX_DESCENDANTS) break;
    for (const child of readChildren(pid, threads)) found.add(child);
  }
  found.delete(root);
  return [...found];
}

function readChildren(pid: number, threads: Threads): number[] {
  const ids = threads === "main thread" ? [pid] : listIfReadable(`/proc/${pid}/task`);
  return ids.flatMap((id) => readIfReadable(`/proc/${pid}/task/${id}/children`).split(" ").filter(Boolean).map(Number));
}

/** Without processes that have ended or are hidden from this user. */
export function readActivity(pids: readonly number[]): ReadonlyMap<number, ProcessActivity> {
  return new Map(
    pids.flatMap((pid): [number, ProcessActivity][] => {
      const stat = parsePidStat(readIfReadable(`/proc/${pid}/stat`));
      if (stat === undefined || hasEnded(stat)) return [];
      const { parentPid, state } = stat;
      const mayBeIdle = state === "S" && EVENT_WAIT.test(readIfReadable(`/proc/${pid}/wchan`));
      return [[pid, { parentPid, isSuspended: /^[Tt]$/.test(state), mayBeIdle }]];
    }),
  );
}

/** The kernel's function in which an event loop waits; `0` if it is hidden. */
const EVENT_WAIT = /^0?$|epoll|^ep_poll/;
