import { closeSync, openSync, readSync } from "node:fs";
import { foreignCode } from "../../api/issue.ts";
import { hasEnded, parsePidIo, parsePidStat, parsePidStatm, type Units } from "../../files/proc.ts";
import type { IoReading, ProcessReading } from "../../files/reading.ts";
import { errorCode } from "../../words/thrown.ts";

const GONE_CODES = new Set(["ESRCH", "ENOENT"]);

export class ProcessFiles {
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
export class ProcFile {
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
