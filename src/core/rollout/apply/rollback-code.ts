/** The release folders of a deploy, and the link to them, in a rollback. */
import type { HasClock } from "../../files/ports.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ReleasedCode } from "../../api/rollout.ts";
import type { HasDeployed } from "../port-deployed.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { ignoreUnrecorded } from "./failure.ts";
import { formerCode, releaseOf } from "./rollback-link.ts";
import type { ReleaseRecorder } from "./recording.ts";
import type { PlannedRollback } from "./rollback-plan.ts";

/**
 * The code before it is current again. Undoing the rollback returns to what is current now, perhaps of a newer deploy. A
 * deploy of which `current` has not followed leads there only if all apps run it.
 */
export async function toReturnedCode(
  { deployed }: HasDeployed,
  { undone, deploy, running }: ReturnedFacts,
): Promise<ReleasedCode> {
  const current = await deployed.current(deploy.root);
  const isReturned = current === null || (current === deploy.former && isWhole(deploy, running));
  return { ...deploy, id: formerCode(undone), former: isReturned ? deploy.id : current };
}

interface ReturnedFacts extends Pick<PlannedRollback, "undone" | "running"> {
  /** Of the release to undo. */
  readonly deploy: ReleasedCode;
}

function isWhole({ id, root }: ReleasedCode, running: readonly ProcessRecord[]): boolean {
  const releases = running.map(({ cwd, script }) => releaseOf(root, [cwd, script]));
  return releases.every((release) => release === undefined || release === id);
}

/** The processes were changed, so not everything runs as before. @throws {SvcmError} APPLY_HALF */
export async function endDeploy(
  ports: HasDeployed & HasClock,
  { plan, undone, staying }: PlannedRollback,
  recording: Pick<ReleaseRecorder, "end">,
  deploy: ReleasedCode,
): Promise<void> {
  const { deployed, clock } = ports;
  const target = { id: undone.deploy?.former ?? null, root: deploy.root };
  if (deploy.id !== null && plan.current !== undefined)
    await deployed.switchTo(target).catch(async (error: unknown) => {
      if (!(error instanceof SvcmError)) throw error;
      await ignoreUnrecorded(recording.end("half"));
      throw new SvcmError("APPLY_HALF", {
        ...error.body,
        details: `The apps returned, but ${plan.current?.path ?? "current"} was not switched: ${error.message}`,
        hint: `Correct that, then: svcm rollback ${undone.id}`,
      });
    });
  if (staying.length > 0) return;
  const former = undone.deploy?.id ?? null;
  await deployed.endUndone({ former, root: deploy.root }, new Date(clock.now()).toISOString());
}

/** No process was touched. */
export async function switchFirst(
  ports: HasDeployed,
  deploy: ReleasedCode,
  { head, end }: ReleaseRecorder,
): Promise<void> {
  try {
    await ports.deployed.switchTo(deploy);
  } catch (error) {
    await end("reverted", { left: head.left });
    throw error;
  }
}
