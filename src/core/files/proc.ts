import type { CoreTimes, HostReading, LoadAvg, MemoryReading, TcpSocket } from "./reading.ts";
import { hostname } from "node:os";
import type { UniqueProcess } from "./ports.ts";
import { hasErrorCode, readlink, readText } from "./system.ts";

export interface PidStat {
  /** `Z` and `X` have ended. */
  readonly state: string;
  readonly parentPid: number;
  /** User and system time in clock ticks, without child processes. */
  readonly cpuTicks: number;
  readonly threads: number;
  readonly startTime: string;
}

/** Positions in proc_pid_stat(5), counted from the state, which is the third field. */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const THREADS = 17;
const START_TIME = 19;

/** The name of the program may contain spaces, parentheses and line breaks, so it ends at the last `)`. */
export function parsePidStat(text: string): PidStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", START_TIME + 1);
  const { 0: state = "", [START_TIME]: startTime } = fields;
  if (!/^[A-Za-z]$/.test(state) || startTime === undefined) return undefined;
  const cpuTicks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  const threads = Number(fields[THREADS]);
  return Number.isFinite(cpuTicks)
    ? { state, parentPid: Number(fields[PARENT]), cpuTicks, threads, startTime }
    : undefined;
}

/** Not reaped yet. The main thread may end before the others do. */
export function hasEnded({ state, threads }: PidStat): boolean {
  return /^[ZXx]$/.test(state) && threads <= 1;
}

/** The second number. @see proc_pid_statm(5) */
export function parsePidStatm(text: string): number | null {
  const match = /^\d+ (\d+) /.exec(text);
  return match === null ? null : Number(match[1]);
}

/** `rchar` and `wchar` also count caches and pipes. @see proc_pid_io(5) */
export function parsePidIo(text: string): { readBytes: number; writeBytes: number } | undefined {
  const read = /^read_bytes: (\d+)$/m.exec(text);
  const written = /^write_bytes: (\d+)$/m.exec(text);
  if (read === null || written === null) return undefined;
  return { readBytes: Number(read[1]), writeBytes: Number(written[1]) };
}

/** System calls that read or write, also of sockets. @see proc_pid_io(5) */
export function countCalls(text: string): number | undefined {
  const [reads, writes] = [/^syscr: (\d+)$/m, /^syscw: (\d+)$/m].map((line) => line.exec(text)?.[1]);
  return reads === undefined || writes === undefined ? undefined : Number(reads) + Number(writes);
}

const CPU_LINE = /^cpu(\d*)\s+([\d ]+)$/;

/**
 * I/O wait counts as idle, stolen time as busy; user time includes guest time. An offline core has no line.
 * @see proc_stat(5)
 */
export function parseStat(text: string): Pick<HostReading, "all" | "cores"> {
  let all: CoreTimes | null = null;
  const cores = new Map<number, CoreTimes>();
  for (const line of text.split("\n")) {
    const match = CPU_LINE.exec(line.trimEnd());
    if (match === null) break;
    const [, core = "", numbers = ""] = match;
    if (core === "") all = parseCoreTimes(numbers);
    else cores.set(Number(core), parseCoreTimes(numbers));
  }
  return { all, cores };
}

function parseCoreTimes(numbers: string): CoreTimes {
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = numbers
    .split(" ")
    .map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + ioWait };
}

/** @see proc_loadavg(5) */
export function parseLoadavg(text: string): LoadAvg | null {
  const match = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) /.exec(text);
  if (match === null) return null;
  return { one: Number(match[1]), five: Number(match[2]), fifteen: Number(match[3]) };
}

const KIBIBYTE = 1024;

/** Kernels before 3.14 do not estimate the available memory. @see proc_meminfo(5) */
export function parseMeminfo(text: string): MemoryReading {
  const bytesOf = (name: string): number | null => {
    const match = new RegExp(String.raw`^${name}:\s+(\d+) kB$`, "m").exec(text);
    return match === null ? null : Number(match[1]) * KIBIBYTE;
  };
  return {
    totalBytes: bytesOf("MemTotal"),
    freeBytes: bytesOf("MemFree"),
    availableBytes: bytesOf("MemAvailable"),
  };
}

const PAGE_SIZE = 6;
const CLOCK_TICKS = 17;
const WORD_BYTES = 8;

export interface Units {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** `sysconf(_SC_CLK_TCK)` of every Linux that Node.js runs on. */
export const TICKS_PER_SECOND = 100;
const DEFAULT_UNITS: Units = { pageBytes: 4096, ticksPerSecond: TICKS_PER_SECOND };

/** `/proc/self/auxv`: pairs of 64-bit words. @see getauxval(3) */
export function parseAuxv(bytes: Uint8Array, isLittleEndian: boolean): Units {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Map<number, number>();
  for (let at = 0; at + 2 * WORD_BYTES <= view.byteLength; at += 2 * WORD_BYTES) {
    values.set(
      Number(view.getBigUint64(at, isLittleEndian)),
      Number(view.getBigUint64(at + WORD_BYTES, isLittleEndian)),
    );
  }
  return {
    pageBytes: values.get(PAGE_SIZE) ?? DEFAULT_UNITS.pageBytes,
    ticksPerSecond: values.get(CLOCK_TICKS) ?? DEFAULT_UNITS.ticksPerSecond,
  };
}

const TCP_LISTEN = "0A";
const TCP_ESTABLISHED = "01";
/** The client has already closed it. */
const TCP_CLOSE_WAIT = "08";
/** Of a connection that no process has accepted. */
const NO_INODE = "0";

interface TcpRow extends Omit<TcpSocket, "unaccepted" | "isListening"> {
  readonly state: string;
  readonly remote: string;
}

/** Without sockets that no process has any more. @see proc_net_tcp(5) */
export function parseTcpTable(text: string): TcpSocket[] {
  const rows = text
    .split("\n")
    .slice(1)
    .flatMap((line) => parseTcpRow(line) ?? []);
  const pending = rows.filter(
    ({ inode, state }) => inode === NO_INODE && (state === TCP_ESTABLISHED || state === TCP_CLOSE_WAIT),
  );
  return rows.flatMap(({ state, remote: _remote, ...socket }): TcpSocket[] => {
    if (socket.inode === NO_INODE) return [];
    const isListening = state === TCP_LISTEN;
    const unaccepted = isListening ? pending.filter(({ port }) => port === socket.port) : [];
    return [{ ...socket, isListening, unaccepted: unaccepted.map(({ remote }) => remote) }];
  });
}

function parseTcpRow(line: string): TcpRow | undefined {
  const {
    1: local = "",
    2: remote = "",
    3: state = "",
    4: queues = "",
    9: inode = NO_INODE,
  } = line.trim().split(/\s+/);
  if (state === "") return undefined;
  const [host = "", port = ""] = local.split(":");
  const waiting = Number.parseInt(queues.split(":")[1] ?? "0", 16);
  return { inode, state, remote, address: parseAddress(host), port: Number.parseInt(port, 16), waiting };
}

/** 32-bit words in the byte order of the machine, which is little-endian. */
function parseAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const text = bytes.join("").toLowerCase();
  if (/^0{32}$/.test(text)) return "::";
  if (/^0{31}1$/.test(text)) return "::1";
  return (text.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, "")).join(":");
}

/** `/proc/<pid>/environ`, as the process was started. */
export function parseEnviron(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("\0").flatMap((entry) => {
      const at = entry.indexOf("=");
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );
}

export type { UniqueProcess } from "./ports.ts";

export async function identifyProcess(): Promise<UniqueProcess> {
  const [stat, bootId, pidNamespace] = await Promise.all([
    readText("/proc/self/stat").catch(() => ""),
    readText("/proc/sys/kernel/random/boot_id").catch(() => null),
    readlink("/proc/self/ns/pid").catch(() => null),
  ]);
  // In another pid namespace, /proc shows the start times of other processes.
  const isOurProc = Number.parseInt(stat, 10) === process.pid;
  const startTime = isOurProc ? (parsePidStat(stat)?.startTime ?? null) : null;
  return { pid: process.pid, startTime, bootId: bootId?.trim() ?? null, pidNamespace, host: hostname() };
}

export async function isRunning(other: UniqueProcess, self: UniqueProcess): Promise<boolean> {
  if (!hasPid(other.pid)) return false;
  if (other.startTime === null || self.startTime === null) return true;
  const stat = parsePidStat(await readText(`/proc/${other.pid}/stat`).catch(() => ""));
  if (stat === undefined) return true; // hidden from this user, or just ended; the next attempt finds out
  return stat.startTime === other.startTime && !hasEnded(stat);
}

const MAX_ANCESTORS = 64;

/** The parent first. Leaves out the first process of the machine or the container, which is an ancestor of every process. */
export async function listAncestors(self: UniqueProcess): Promise<UniqueProcess[]> {
  const ancestors: UniqueProcess[] = [];
  let stat = parsePidStat(await readText("/proc/self/stat").catch(() => ""));
  while (stat !== undefined && stat.parentPid > 1 && ancestors.length < MAX_ANCESTORS) {
    const pid = stat.parentPid;
    stat = parsePidStat(await readText(`/proc/${pid}/stat`).catch(() => ""));
    if (stat !== undefined) ancestors.push({ ...self, pid, startTime: stat.startTime });
  }
  return ancestors;
}

export function hasPid(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, "ESRCH"); // EPERM: it runs as another user
  }
}
