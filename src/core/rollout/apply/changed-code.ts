/** Code that is not as the plan showed it, once the steps have run. */
import { SvcmError } from "../../api/errors.ts";
import type { UnknownPart } from "../../api/drift.ts";
import type { Plan } from "../../api/rollout.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isDataName } from "../../running/code-files.ts";
import type { Uncommitted } from "../../running/port-running-code.ts";
import { nameList } from "../../words/text.ts";
import type { Planned } from "../planning.ts";
import type { ApplyPorts } from "../ports.ts";
import { listUncommitted } from "../read-verdicts.ts";
import type { AppliedState } from "../release.ts";
import { checkoutCommand, ignoreUnrecorded } from "./failure.ts";
import type { ReleaseRecorder } from "./recording.ts";

interface CodeAfter {
  readonly changed: readonly string[];
  readonly unknown: readonly UnknownPart[];
}

export async function readCodeAfter(
  ports: ApplyPorts,
  planned: Planned,
  running: readonly ProcessRecord[],
): Promise<CodeAfter> {
  const after = await listChangedCode(ports, planned);
  const isKnown = planned.uncommitted.problem === null;
  return { changed: isKnown ? after.paths : [], unknown: unknownCode(planned, running, after) };
}

/** Committed or written while the steps ran, so the plan did not show it. */
async function listChangedCode(ports: ApplyPorts, { plan: { git }, startedCode }: Planned): Promise<Uncommitted> {
  if (git === null) return { paths: [], problem: null };
  const { paths, problem } = await listUncommitted(ports, startedCode, git.commit);
  const changed = paths.filter((path) => !git.dirty.includes(path));
  // Data that no commit has is what the app itself wrote at its start.
  const own = changed.some(isDataName) ? await listUncommitted(ports, startedCode) : { paths: [], problem: null };
  return { paths: changed.filter((path) => !isDataName(path) || !own.paths.includes(path)), problem };
}

/** If the plan could not read all of it, what differs now may have differed before. */
export function unknownCode(
  { plan: { git }, startedCode, uncommitted }: Planned,
  running: readonly ProcessRecord[],
  after: Uncommitted,
): UnknownPart[] {
  const problem = git === null ? null : (uncommitted.problem ?? after.problem);
  if (problem === null) return [];
  const differing = after.paths.length === 0 ? "" : `; now ${nameList(after.paths)} differs from it`;
  const reason = `its code could not be compared with the commit: ${problem}${differing}`;
  return [...new Set(startedCode.map(({ app }) => app))].map((app) => {
    const pmIds = running.flatMap(({ name, pmId }) => (name === app ? [pmId] : []));
    return { app, pmIds, part: "code", reason };
  });
}

interface OtherCode {
  readonly paths: readonly string[];
  readonly left: AppliedState;
}

/** The apps run and have no step, but no plan has shown their code. */
export async function endWithOtherCode(
  recording: ReleaseRecorder,
  plan: Plan,
  { paths, left }: OtherCode,
): Promise<SvcmError> {
  const code = "APPLY_CODE_CHANGED";
  const commit = plan.git?.commit ?? "";
  const planned = commit.slice(0, 10);
  const reason = `While the apply ran, ${nameList(paths)} changed.`;
  const back = checkoutCommand(commit, plan);
  const failure = { app: "", reason, errorLines: [], back };
  await ignoreUnrecorded(recording.end("half", { code, failure, left }));
  return new SvcmError("APPLY_HALF", {
    code,
    failure,
    details: `${reason} Some apps may run code that the plan did not show, instead of that of ${planned}.`,
    hint: `Review it: git diff ${planned}. To go back: ${back}`,
  });
}
