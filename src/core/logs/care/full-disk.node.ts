import { withLogFile, readLinesBackwards } from "../../files/log.ts";
import { lineTime } from "../log-line.ts";

const MAX_BYTES = 4 * 2 ** 20;
const FULL = /\bENOSPC\b/;
/** PM2 then opens every log again. */
const REOPENED = /Reloading logs\.\.\.|New PM2 Daemon started/;

/** After a write failed, PM2 never writes that log again until it opens its logs again. */
export async function lastFullDisk(pm2Log: string): Promise<number | null> {
  const found = await withLogFile(pm2Log, async ({ fd, size, writtenMs }) => {
    let bytesRead = 0;
    for await (const { lines, bytes } of readLinesBackwards(fd, size)) {
      for (const line of lines) {
        if (REOPENED.test(line)) return null;
        if (FULL.test(line)) return lineTime(line) ?? writtenMs;
      }
      if ((bytesRead += bytes) > MAX_BYTES) return null;
    }
    return null;
  }).catch(() => null);
  return found ?? null;
}
