/** A missing list means all. */
export interface Limits {
  /** Canonical names. */
  readonly environments?: readonly string[] | undefined;
  readonly services?: readonly string[] | undefined;
}
