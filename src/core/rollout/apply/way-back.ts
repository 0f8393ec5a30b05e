import type { Plan } from "../../api/rollout.ts";
import { toRelease, type Journal, type ReleaseHead } from "../release.ts";

interface FailedApply {
  readonly head: Pick<ReleaseHead, "id" | "environment" | "before" | "git">;
  readonly outcome: "reverted" | "half";
  readonly app: string;
  /** The script that the app would run. */
  readonly script: string | undefined;
  /** The app was to run other code. */
  readonly isNewCode: boolean;
  readonly choices: Plan["choices"];
  /** All releases, newest first. */
  readonly journals: readonly Journal[];
}

/** The hint if no command does. */
export const PUT_CODE_BACK =
  "To return to the former code: check out its revision, build it, or point the link back. Then run svcm apply.";

/**
 * The command that returns to what ran before, without a loss. If the code was replaced in place, only its former
 * commit brings it back: a rollback would start the new code. `undefined` if there is nothing to go back to.
 */
export function findWayBack({
  head,
  outcome,
  app,
  script,
  isNewCode,
  choices,
  journals,
}: FailedApply): string | undefined {
  const { id, environment, before, git } = head;
  const former = before.filter(({ name }) => name === app);
  const isInPlace = former.some(({ paths = [] }) => script !== undefined && paths.includes(script));
  const good = findLastGood(journals, head);
  if (isInPlace && git !== null && good !== undefined && good !== git.commit) {
    const service = choices.service === undefined ? "" : ` --service ${choices.service}`;
    return `git checkout ${good.slice(0, 10)} && svcm apply --environment ${environment}${service}`;
  }
  return outcome === "half" && !(isInPlace && isNewCode) ? `svcm rollback ${id}` : undefined;
}

/** The commit of the newest release that was applied in this environment and not undone. */
function findLastGood(
  journals: readonly Journal[],
  { id, environment }: Pick<ReleaseHead, "id" | "environment">,
): string | undefined {
  const applied = journals.filter((journal) => toRelease(journal, null).outcome === "applied");
  const undone = new Set(applied.flatMap(({ head }) => head.undoes ?? []));
  const good = applied.find(
    ({ head }) =>
      head.id !== id && head.environment === environment && head.undoes === undefined && !undone.has(head.id),
  );
  return good?.head.git?.commit;
}
