/** Synchronous reads that return nothing if the place is missing or may not be read. */
import { readdirSync, readFileSync } from "node:fs";

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
