export type Candidate = Readonly<Record<string, unknown>>;

export function textField(candidate: Candidate, field: string): string {
  const value = candidate[field];
  return typeof value === "string" ? value.trim() : "";
}

/** Upper case first, because letters such as the two small sigmas share one capital. */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase();
}
