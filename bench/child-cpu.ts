import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The unit of CPU times in `/proc/self/stat`. */
const TICKS_PER_SECOND = 100;

/** Returns user and system time in milliseconds. @throws {Error} if the program fails */
export function childCpuMs(
  argv: readonly string[],
  {
    codes = [0],
    ...options
  }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly codes?: readonly number[];
  },
): number {
  const before = childrenCpuMs();
  const { status, stderr } = spawnSync(process.execPath, argv, { ...options, maxBuffer: Infinity });
  if (!codes.includes(status ?? -1)) throw new Error(`${argv.join(" ")} failed: ${String(stderr)}`);
  return childrenCpuMs() - before;
}

/** Of the children that have ended: fields 16 and 17 of proc_pid_stat(5). */
export function childrenCpuMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
}
