import { attempting, refuse } from "./file-error.ts";
import { close, fstat, isRefusal, O_RDONLY, open, SAFELY } from "./system.ts";

export interface OpenLog {
  readonly fd: number;
  readonly size: number;
  /** In milliseconds since 1970. */
  readonly writtenMs: number;
}

/**
 * Opens a log, if it exists, and closes it afterwards. Follows no link.
 * @throws {FileError} if it cannot be read, or is not a regular file
 */
export async function withLog<T>(path: string, use: (log: OpenLog) => Promise<T>): Promise<T | undefined> {
  return await attempting("read", path, async () => {
    const fd = await openIfThere(path);
    if (fd === undefined) return undefined;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw refuse("ENOTREG", "read", path);
      return await use({ fd, size: Number(stat.size), writtenMs: Number(stat.mtimeMs) });
    } finally {
      await close(fd);
    }
  });
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await open(path, O_RDONLY | SAFELY);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    if (isRefusal(error, "ENXIO", "ELOOP")) throw refuse("ENOTREG", "read", path);
    throw error;
  }
}
