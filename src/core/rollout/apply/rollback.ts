import type { InputOf } from "../../api/inputs.ts";
import type { Release } from "../../api/rollout.ts";
import { audited } from "../../audit/audited.ts";
import type { Caller } from "../../caller.ts";
import { SvcmError } from "../../errors.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/recorded.ts";
import type { Ports } from "../../ports/index.ts";
import { pmIdsOf } from "../compare.ts";
import { journalsOf, type Journal, type ReleaseEvent } from "../release.ts";
import { LOCK_PATIENCE_MS } from "./apply.ts";
import { begun } from "./recording.ts";
import { returnApps } from "./return-apps.ts";

/**
 * Gives the apps of a release the processes and definitions back that they had before it. Files, code and data stay as
 * they are. The rollback is a release, so it can be undone.
 *
 * @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK, APPLY_LOCKED, APPLY_HALF, PM2_FAILED, AUDIT_FAILED
 */
export function rolledBack(ports: Ports, input: InputOf<"rollout.rollback">, caller: Caller): Promise<Release> {
  const { release, apps: asked = [], timeoutMs, lockTimeoutMs = LOCK_PATIENCE_MS } = input;
  const about: ActionSubject = { action: "plan.rollback" };
  const attempt = (begin: () => Promise<void>): Promise<Release> =>
    ports.releases.exclusively(lockTimeoutMs, async () => {
      const { head: undone } = releaseIn(await ports.releases.list(), release);
      const { environment, git, id } = undone;
      about.target = `release ${id}`;
      const touched = undone.steps.flatMap((step) => (step.do === "save" ? [] : [step.app]));
      const apps = [...new Set(touched)].filter((app) => asked.length === 0 || asked.includes(app)).toReversed();
      const { list } = await ports.processes.keyed();
      const running = await list();
      const steps = apps.map((app) => {
        const pmIds = pmIdsOf(running.filter(({ name }) => name === app));
        return { do: "return" as const, app, pmIds };
      });
      const recording = await begun(ports, caller, { environment, git, plan: null, steps, undoes: id }, running);
      noteProcesses(about, ports, recording.head.before);
      await begin();
      const left: string[] = [];
      for (const [index, app] of apps.entries()) {
        await recording.step(index, "begun");
        const reasons = await returnApps(ports, { head: undone, add: recording.add, timeoutMs }, [app]);
        await recording.step(index, reasons.length === 0 ? "done" : "failed", reasons[0]);
        left.push(...reasons);
      }
      await ports.processes.save();
      const done = await recording.end(left.length === 0 ? "applied" : "half");
      if (left.length === 0) return done;
      throw new SvcmError("APPLY_HALF", { details: `Not everything could be returned. ${left.join(" ")}` });
    });
  return audited(ports, caller, () => about, attempt);
}

/** @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK */
export function releaseIn(lists: readonly (readonly ReleaseEvent[])[], id: string | undefined): Journal {
  const journals = journalsOf(lists);
  const [newest] = journals;
  if (newest === undefined)
    throw new SvcmError("NOTHING_TO_ROLL_BACK", {
      details: "This PM2 has no release of this repository. svcm records one for each apply that changes something.",
    });
  const found = id === undefined ? newest : journals.find(({ head }) => head.id === id);
  if (found !== undefined) return found;
  throw new SvcmError("RELEASE_NOT_FOUND", {
    details: `No release is called ${JSON.stringify(id?.slice(0, 80))}. Accepted: ${journals.map(({ head }) => head.id).join(", ")}.`,
    hint: "svcm keeps the newest ten: svcm releases list",
  });
}
