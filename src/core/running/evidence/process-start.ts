/** When and where a process was started, by the kernel. Other systems than Linux know neither. */
import { readlinkSync } from "node:fs";
import { parsePidStat, TICKS_PER_SECOND } from "../../files/proc.ts";
import { readIfReadable } from "../../files/system.ts";

/** Both clocks agree within milliseconds, unless one was set. */
const MAX_CLOCK_GAP_MS = 2000;
/** The time of a file may be up to 6 ms older than the clock. */
const CLOCK_GRAIN_MS = 20;
const DELETED = " (deleted)";

export interface ProcessStart {
  /** A file with a later change may be one that the process was not started with. */
  readonly sinceMs: number;
  readonly isClockSet: boolean;
  /** `undefined` if the process cannot be distinguished from a later one with the same pid. */
  readonly identity: { readonly bootId: string; readonly startTicks: string } | undefined;
}

export class StartClock {
  readonly #bootId = readIfReadable("/proc/sys/kernel/random/boot_id").trim();
  readonly #bootMs = Date.now() - Number(readIfReadable("/proc/uptime").split(" ")[0]) * 1000;

  readStart(pid: number, startedAt: number): ProcessStart {
    const startTicks = parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.startTime;
    if (startTicks === undefined || this.#bootId === "")
      return { sinceMs: startedAt - CLOCK_GRAIN_MS, isClockSet: false, identity: undefined };
    const byKernel = this.#bootMs + (Number(startTicks) / TICKS_PER_SECOND) * 1000;
    return {
      sinceMs: Math.min(startedAt, byKernel) - CLOCK_GRAIN_MS,
      isClockSet: Math.abs(byKernel - startedAt) > MAX_CLOCK_GAP_MS,
      identity: { bootId: this.#bootId, startTicks },
    };
  }
}

const WRAPPER = /^(?:npm|pnpm|yarn|(?:ba|da|z|k)?sh)\b/;

/** Working folders of a wrapper, such as a shell or npm, and of what it has started, down to the app. Real paths. */
export function readFoldersBelow(pid: number, isWrapper = true): string[] {
  const { cwd, isDeleted } = readFolderOf(pid);
  const own = cwd === null || isDeleted ? [] : [cwd];
  if (!isWrapper) return own;
  const children = readIfReadable(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return [...own, ...children.flatMap((child) => readFoldersBelow(child, isShellOrManager(child)))];
}

function isShellOrManager(pid: number): boolean {
  return WRAPPER.test(readIfReadable(`/proc/${pid}/comm`));
}

/** `null` if this user may not know it. */
export function readFolderOf(pid: number): { readonly cwd: string | null; readonly isDeleted: boolean } {
  try {
    const target = readlinkSync(`/proc/${pid}/cwd`);
    return target.endsWith(DELETED)
      ? { cwd: target.slice(0, -DELETED.length), isDeleted: true }
      : { cwd: target, isDeleted: false };
  } catch {
    return { cwd: null, isDeleted: false };
  }
}
