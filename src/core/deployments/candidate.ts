export type Candidate = Readonly<Record<string, unknown>>;

export function textField(candidate: Candidate, field: string): string {
  const value = candidate[field];
  return typeof value === "string" ? value.trim() : "";
}
