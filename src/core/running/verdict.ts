import type { DriftEntry } from "../api/drift.ts";
import type { appKinds } from "../api/names.ts";
import type { Settings } from "../pm2/settings.ts";

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

/**
 * `service`: runs until a user stops it. `job`: a schedule starts it and it ends by itself, so it is in place while
 * it waits. `task`: runs once and ends by itself.
 * @see CONTRACT section 13, "Jobs"
 */
export type AppKind = (typeof appKinds)[number];

export function appKind({ autorestart, cronRestart }: Settings): AppKind {
  if (autorestart !== false) return "service";
  return typeof cronRestart === "string" ? "job" : "task";
}
