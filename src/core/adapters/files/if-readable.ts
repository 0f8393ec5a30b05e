/** The synchronous reads also ignore missing permission. */
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { errorCode } from "../../words/thrown.ts";

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function textIfReadable(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
