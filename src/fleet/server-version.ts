import { SvcmError } from "../core/index.ts";

/** One message of any key ends an older server, whatever its configuration. */
export const OLDEST_NATS = "2.10.27";

/** @param version of the server's greeting, for example `2.10.27` or `2.11.0-RC.1` */
export function isSupportedVersion(version = ""): boolean {
  const [parts, oldest] = [version, OLDEST_NATS].map((text) => /^(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (parts === undefined || oldest === undefined) return false;
  const at = parts.findIndex((part, index) => part !== oldest[index]);
  return at === -1 || (parts[at] ?? 0) > (oldest[at] ?? 0);
}

/** @throws {SvcmError} FLEET_FAILED with NATS_TOO_OLD */
export function requireSupportedVersion(version: string | undefined): void {
  if (isSupportedVersion(version)) return;
  throw new SvcmError("FLEET_FAILED", {
    code: "NATS_TOO_OLD",
    details: `The NATS server has the version ${JSON.stringify((version ?? "unknown").slice(0, 40))}. Accepted: ${OLDEST_NATS} or newer, because one message of any key ends an older server. Debian 13 has it: install that package, then restart the server.`,
  });
}
