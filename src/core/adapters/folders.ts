import { statSync } from "node:fs";

export function whyNoFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "it is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`;
  }
}
