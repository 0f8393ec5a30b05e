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
