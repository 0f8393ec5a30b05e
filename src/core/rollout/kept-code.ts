import type { KeptCode } from "../api/rollout.ts";

const SHOWN_DIGITS = 10;

/** Follows a sentence on what returns. */
export function keptCodeText({ commit, former }: KeptCode): string {
  const now = commit === null ? "The new code stays" : `The code of ${commit.slice(0, SHOWN_DIGITS)} stays`;
  const back = former === null ? "the former revision" : former.slice(0, SHOWN_DIGITS);
  return `${now}, because a rollback leaves files as they are: check out ${back}, and run svcm apply.`;
}
