import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pm2 } from "./pm2-daemon.ts";

/** Runs an app that writes nothing, because the test writes its log. Returns the path of the log. */
export async function quietApp(own: Pm2, name: string, out: string | Buffer, more: object = {}): Promise<string> {
  const path = join(own.folder, `${name}-out.log`);
  writeFileSync(path, out);
  const errors = join(own.folder, `${name}-error.log`);
  await own.run({ name, merge_logs: true, out_file: path, error_file: errors, ...more });
  return path;
}
