import { basename, dirname, join, resolve as absolute, sep } from "node:path";
import type { FileError } from "../../ports/index.ts";
import { attempting, refuse } from "./file-error.ts";
import { realpath } from "./system.ts";

export interface AllowedFolders {
  /** @throws {FileError} EOUTSIDE, or the system's code if the path leads nowhere */
  resolve(path: string): Promise<string>;
  resolveNew(path: string): Promise<string>;
  /** @throws {FileError} EOUTSIDE if `real`, found by following `path`, is outside */
  admit(real: string, path: string): Promise<void>;
  isOutside(path: string): boolean;
}

/** Looks again only for a file outside, because a link may have moved or a folder may be new. */
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
