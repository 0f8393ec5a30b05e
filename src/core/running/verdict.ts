import type { DriftEntry } from "../api/drift.ts";

/**
 * Compares the code or the values of a process with those that are declared now. `unknown` never counts as `same`.
 * @see CONTRACT section 13
 */
export type Verdict =
  | { readonly verdict: "same" }
  | { readonly verdict: "changed"; readonly reasons: readonly [ChangeReason, ...ChangeReason[]] }
  | { readonly verdict: "unknown"; readonly reason: string };

export interface ChangeReason {
  /**
   * `different`: what runs still exists elsewhere, such as in another folder or commit. `stale`: it was replaced in place.
   * `absent`: it is gone.
   */
  readonly state: "different" | "stale" | "absent";
  /** In words, without a value: `4a91c77 to 728e20b, 3 files`, `PAGE_SIZE changed in .env`. */
  readonly details: string;
  /** A variable. */
  readonly key?: string;
  readonly declared?: DriftEntry["declared"];
  readonly running?: DriftEntry["running"];
}

/** By PM2's number of the process. A process without a verdict was not examined. */
export type Verdicts = Readonly<Partial<Record<"code" | "values", ReadonlyMap<number, Verdict>>>>;
