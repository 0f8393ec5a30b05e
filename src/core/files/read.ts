import type { FileError, ReadOptions } from "./ports.ts";
import { type BigIntStats, fstatSync } from "node:fs";
import { basename, dirname, join, resolve as absolute, sep } from "node:path";

import {
  attempt,
  fileError,
  tooLargeError,
  close,
  descriptorPath,
  fstat,
  hasErrorCode,
  NO_FOLLOW,
  NON_BLOCKING,
  O_RDONLY,
  open,
  read,
  realpath,
  withFile,
} from "./system.ts";

export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly stat: BigIntStats;
}

export async function readSnapshot(real: string, path: string, maxBytes: number): Promise<Snapshot> {
  return await attempt("read", path, async () => {
    try {
      return await withFile(real, O_RDONLY | NO_FOLLOW, async (fd) => {
        const stat = await fstat(fd);
        requireRegular(stat, path);
        return { bytes: await readUpTo(fd, stat, path, maxBytes), stat };
      });
    } catch (error) {
      throw hasErrorCode(error, "ENXIO") ? notRegular(path) : error;
    }
  });
}

/** Resolving the path of the open file is cheap, and the file cannot be swapped in between. */
export async function readAllowed(
  folders: AllowedFolders,
  path: string,
  { maxBytes, mayBeOutside = false }: ReadOptions & { readonly maxBytes: number },
): Promise<Uint8Array> {
  const fd = await attempt("open", path, () => openRegular(path));
  return await attempt("read", path, async () => {
    try {
      const stat = fstatSync(fd, { bigint: true });
      requireRegular(stat, path);
      if (!(mayBeOutside && folders.isOutside(path))) {
        const real = descriptorPath(fd, stat);
        if (real === undefined) await folders.resolve(path);
        else await folders.requireInside(real, path);
      }
      return await readUpTo(fd, stat, path, maxBytes);
    } finally {
      void close(fd).catch(() => undefined);
    }
  });
}

/** Opening a socket fails with ENXIO. A FIFO or device is recognised by its mode. */
async function openRegular(path: string): Promise<number> {
  return await open(path, O_RDONLY | NON_BLOCKING).catch((error: unknown) => {
    throw hasErrorCode(error, "ENXIO") ? notRegular(path) : error;
  });
}

function requireRegular(stat: BigIntStats, path: string): void {
  if (stat.isDirectory()) throw fileError("EISDIR", "read", path);
  if (stat.isFIFO()) throw fileError("ENOTREG", "read", path, "it is a pipe, not a regular file");
  if (!stat.isFile()) throw notRegular(path);
}

/** The buffer has room for one byte more than expected. If a read leaves that byte unused, the file has ended. */
async function readUpTo(fd: number, stat: BigIntStats, path: string, maxBytes: number): Promise<Uint8Array> {
  const size = Number(stat.size);
  if (size > maxBytes) throw tooLargeError("read", path, maxBytes);
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const count = await read(fd, buffer.subarray(length));
    length += count;
    if (length > maxBytes) throw tooLargeError("read", path, maxBytes);
    if (count === 0 || (length >= size && length < buffer.length)) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], length * 2);
  }
}

function notRegular(path: string): FileError {
  return fileError("ENOTREG", "read", path);
}

export interface AllowedFolders {
  /** @throws {FileError} EOUTSIDE, or the system's code if the path leads nowhere */
  resolve(path: string): Promise<string>;
  resolveNew(path: string): Promise<string>;
  /** @param real the resolved form of `path` @throws {FileError} EOUTSIDE */
  requireInside(real: string, path: string): Promise<void>;
  isOutside(path: string): boolean;
}

/** Resolves the folders again if a file seems to be outside: a link may have moved. */
export function allowedFolders(folders: readonly string[]): AllowedFolders {
  let resolved: readonly string[] = [];
  const requireInside = async (real: string, path: string): Promise<void> => {
    if (isInside(real, resolved)) return;
    resolved = await resolveFolders(folders);
    if (!isInside(real, resolved)) throw outsideError(real, path, folders);
  };
  return {
    requireInside,
    isOutside: (path) => !isInside(absolute(path), [...folders, ...resolved]),
    async resolve(path) {
      const real = await attempt("open", path, () => realpath(path));
      await requireInside(real, path);
      return real;
    },
    async resolveNew(path) {
      const folder = await attempt("create", path, () => realpath(dirname(path)));
      const real = join(folder, basename(path));
      await requireInside(real, path);
      return real;
    },
  };
}

function outsideError(real: string, path: string, folders: readonly string[]): FileError {
  const where = real === path ? "it is" : `it leads to ${real},`;
  const reason = `${where} outside of ${folders.join(" and ")}; allow another folder with --root, with folders in svcm.yaml, or for env files with SVC_SERVICE_MANAGEMENT_CONFIG_DIR`;
  return fileError("EOUTSIDE", "use", path, reason);
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}

async function resolveFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return found.filter((folder) => folder !== undefined);
}
