import type { Age } from "./code-files.ts";

/** @param wasThere answers for a path of the unit: it was there at the start */
export function findAge(path: string, paths: readonly string[], wasThere: (path: string) => boolean): Age {
  if (wasThere(path)) return "old";
  const end = path.lastIndexOf("/") + 1;
  // Beside `package.json`, a new file of the same kind says nothing.
  if (end === 0) return "new";
  const [folder, suffix] = [path.slice(0, end), suffixOf(path)];
  const isFellow = (other: string): boolean =>
    other.startsWith(folder) && !other.includes("/", end) && suffixOf(other) === suffix && wasThere(other);
  return paths.some(isFellow) ? "fellow" : "new";
}

function suffixOf(path: string): string {
  return /\.[^./]+$/.exec(path)?.[0] ?? "";
}
