/** `EUNKNOWN` if the error has no code. */
export function codeOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : "EUNKNOWN";
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : `thrown: ${String(error)}`;
}
