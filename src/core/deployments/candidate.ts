export type Candidate = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is Candidate {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(candidate: Candidate, field: string): string {
  const value = candidate[field];
  return typeof value === "string" ? value.trim() : "";
}
