import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";

/** Resolves when a file exists. If its writer renames it into place, the file is complete. */
export function waitForFile(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(path));
    const check = (): void => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    watcher.on("change", check);
    watcher.once("error", reject);
    check();
  });
}
