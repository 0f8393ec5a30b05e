/**
 * The number of findings that each folder may still have. It only falls: a folder above its number fails the check,
 * and `--write` records lower numbers. The file goes when it is empty.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Finding } from "./check.ts";

export type Counts = Readonly<Record<string, number>>;

/** Rooms of the core, and folders one level below the other roots. */
export function folderOf(path: string): string {
  const parts = path.split("/").slice(0, -1);
  if (parts.length === 0) return ".";
  if (!["src", "test"].includes(parts[0] ?? "")) return parts.slice(0, 2).join("/");
  return parts.slice(0, parts[1] === "core" ? 3 : 2).join("/");
}

export function countsOf(findings: readonly Finding[]): Counts {
  const counts: Record<string, number> = {};
  for (const { path } of findings) counts[folderOf(path)] = (counts[folderOf(path)] ?? 0) + 1;
  return counts;
}

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

export const readPermitted = (file: URL): Counts =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Counts) : {};

/** Throws if the total would rise. A folder may rise if another falls, because files move. */
export function writePermitted(file: URL, counts: Counts): void {
  const permitted = totalOf(readPermitted(file));
  if (existsSync(file) && totalOf(counts) > permitted)
    throw new Error(`There are ${totalOf(counts)} findings; ${permitted} are permitted. Rewrite the new ones first.`);
  const sorted = Object.fromEntries(Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  if (totalOf(counts) === 0) rmSync(file, { force: true });
  else writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}
