import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Also true if a product is missing. */
export function isStale(products: readonly string[], sources: readonly string[]): boolean {
  const built = Math.min(...products.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  return sources.some((source) => newest(source) > built);
}

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
