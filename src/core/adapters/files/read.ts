import type { BigIntStats } from "node:fs";
import { basename, dirname, join, resolve as absolute, sep } from "node:path";
import type { FileError, ReadOptions } from "../../ports/index.ts";
import { attempting, refuse } from "./file-error.ts";
import {
  close,
  FOLLOWING,
  fstat,
  isRefusal,
  O_RDONLY,
  open,
  openedPath,
  read,
  realpath,
  SAFELY,
  statOf,
  withFile,
} from "./system.ts";

export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly stat: BigIntStats;
}

export async function readWhole(real: string, path: string, maxBytes: number): Promise<Snapshot> {
  return await attempting("read", path, async () => {
    try {
      return await withFile(real, O_RDONLY | SAFELY, async (fd) => {
        const stat = await fstat(fd);
        refuseUnlessRegular(stat, path);
        if (stat.size > maxBytes) throw tooLarge("read", path, maxBytes);
        return { bytes: await readUpTo(fd, Number(stat.size), maxBytes, path), stat };
      });
    } catch (error) {
      throw isRefusal(error, "ENXIO") ? notRegular(path) : error;
    }
  });
}

/** Resolving the path of the open file is cheap, and the file cannot be swapped in between. */
export async function readInside(
  folders: AllowedFolders,
  path: string,
  { maxBytes, mayBeOutside = false }: ReadOptions & { readonly maxBytes: number },
): Promise<Uint8Array> {
  const fd = await attempting("open", path, () => openRegular(path));
  return await attempting("read", path, async () => {
    try {
      const stat = statOf(fd);
      refuseUnlessRegular(stat, path);
      if (!(mayBeOutside && folders.isOutside(path))) {
        const place = openedPath(fd, stat);
        if (place === undefined) await folders.resolve(path);
        else await folders.admit(place, path);
      }
      if (stat.size > maxBytes) throw tooLarge("read", path, maxBytes);
      return await readUpTo(fd, Number(stat.size), maxBytes, path);
    } finally {
      void close(fd).catch(() => undefined);
    }
  });
}

/** Opening a socket fails with ENXIO. A FIFO or device is recognised by its mode. */
async function openRegular(path: string): Promise<number> {
  return await open(path, O_RDONLY | FOLLOWING).catch((error: unknown) => {
    throw isRefusal(error, "ENXIO") ? notRegular(path) : error;
  });
}

function refuseUnlessRegular(stat: BigIntStats, path: string): void {
  if (stat.isDirectory()) throw refuse("EISDIR", "read", path);
  if (stat.isFIFO()) throw refuse("ENOTREG", "read", path, "it is a pipe, not a regular file");
  if (!stat.isFile()) throw notRegular(path);
}

/** The buffer has room for one byte more than expected. If a read leaves that byte unused, the file has ended. */
async function readUpTo(fd: number, size: number, maxBytes: number, path: string) {
  let room = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const count = await read(fd, room.subarray(length));
    length += count;
    if (length > maxBytes) throw tooLarge("read", path, maxBytes);
    if (count === 0 || (length >= size && length < room.length)) return room.subarray(0, length);
    if (length === room.length) room = Buffer.concat([room], length * 2);
  }
}

function notRegular(path: string) {
  return refuse("ENOTREG", "read", path);
}

export function tooLarge(action: string, path: string, maxBytes: number) {
  return refuse("EFBIG", action, path, `it is larger than ${maxBytes} bytes`);
}

export interface AllowedFolders {
  /** @throws {FileError} EOUTSIDE, or the system's code if the path leads nowhere */
  resolve(path: string): Promise<string>;
  resolveNew(path: string): Promise<string>;
  /** @param real the resolved form of `path` @throws {FileError} EOUTSIDE */
  admit(real: string, path: string): Promise<void>;
  isOutside(path: string): boolean;
}

/** Resolves the folders again if a file seems to be outside: a link may have moved. */
export function allowedFolders(folders: readonly string[]): AllowedFolders {
  let known: readonly string[] = [];
  const admit = async (real: string, path: string): Promise<void> => {
    if (isInside(real, known)) return;
    known = await realFolders(folders);
    if (!isInside(real, known)) throw outside(real, path, folders);
  };
  return {
    admit,
    isOutside: (path) => !isInside(absolute(path), [...folders, ...known]),
    async resolve(path) {
      const real = await attempting("open", path, () => realpath(path));
      await admit(real, path);
      return real;
    },
    async resolveNew(path) {
      const folder = await attempting("create", path, () => realpath(dirname(path)));
      const real = join(folder, basename(path));
      await admit(real, path);
      return real;
    },
  };
}

function outside(real: string, path: string, folders: readonly string[]): FileError {
  const where = real === path ? "it is" : `it leads to ${real},`;
  const reason = `${where} outside of ${folders.join(" and ")}; allow another folder with --root, with folders in svcm.yaml, or for env files with SVC_SERVICE_MANAGEMENT_CONFIG_DIR`;
  return refuse("EOUTSIDE", "use", path, reason);
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}

async function realFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return found.filter((folder) => folder !== undefined);
}
