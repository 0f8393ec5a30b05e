import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rotatedNames } from "../../../logs/rotated.ts";
import { namesIn } from "../../files/if-readable.ts";
import type { Target } from "./targets.ts";

/** Newest first. */
export function rotatedFiles({ path }: Pick<Target, "path">, sinceMs = 0): string[] {
  const folder = dirname(path);
  const names = rotatedNames(basename(path), namesIn(folder));
  const known = new Set(names);
  return names
    .filter((name) => !(name.endsWith(".gz") && known.has(name.slice(0, -3))))
    .flatMap((name) => {
      const file = join(folder, name);
      const modifiedMs = modifiedOf(file);
      return modifiedMs === undefined || modifiedMs < sinceMs ? [] : [{ file, modifiedMs }];
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .map(({ file }) => file);
}

function modifiedOf(file: string): number | undefined {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}
