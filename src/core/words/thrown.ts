/** `EUNKNOWN` if the error has no code. */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : "EUNKNOWN";
}

export function errorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : `thrown: ${String(error)}`;
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code ENOSPC alone proves nothing: too many watched files have the same. */
export const DISK_FULL = /no space left on device/i;
/** Node.js has no words for it on Linux. */
const QUOTA_USED = /disk quota exceeded|Unknown system error -122\b/i;

export type Lacking = "space" | "quota";

export function lackingIn(lines: readonly string[]): Lacking | undefined {
  if (lines.some((line) => DISK_FULL.test(line))) return "space";
  return lines.some((line) => QUOTA_USED.test(line)) ? "quota" : undefined;
}
