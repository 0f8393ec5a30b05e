import { ownMember } from "../../words/record.ts";
import type { HasClock } from "../../files/ports.ts";

import { omitUndefined } from "../../api/omit-undefined.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Planned } from "../planning.ts";
import { findFormerName } from "../step.ts";
import type { EnvFileCopy, AppliedState, AppliedApp, ReleaseHead } from "../release.ts";

interface ApplyResult {
  readonly envFiles: readonly EnvFileCopy[];
  readonly save: boolean;
  readonly boots: ReadonlyMap<string, number>;
  readonly running: readonly ProcessRecord[];
}

export function stateAfterApply(
  { clock }: HasClock,
  planned: Planned,
  { envFiles, save, boots, running }: ApplyResult,
): AppliedState {
  const { steps } = planned.decision;
  const gone = new Set(steps.flatMap((step) => (step.do === "remove" ? [step.app] : [findFormerName(step)])));
  const before = Object.entries(planned.appliedState.apps).filter(([app]) => !gone.has(app));
  const after = planned.expected.map((app): [string, AppliedApp] => {
    const { name, environments, envFiles: own } = app;
    const probe = planned.probes.get(name);
    const bootMs = boots.get(name) ?? ownMember(planned.appliedState.apps, name)?.bootMs;
    return [
      name,
      {
        environment: planned.content.name,
        service: planned.serviceOf(name),
        keys: [...new Set(environments.flatMap((variables) => Object.keys(variables)))],
        processes: running.flatMap((one) => (one.name === name && one.uniqueId !== null ? [one.uniqueId] : [])),
        ...omitUndefined({ probe, bootMs }),
        envFiles: envFiles.filter(({ path }) => own.includes(path)),
      },
    ];
  });
  return { apps: Object.fromEntries([...before, ...after]), ...(!save && { unsavedAtMs: clock.now() }) };
}

interface RevertResult {
  readonly undone: Pick<ReleaseHead, "left">;
  readonly apps: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly by: string;
}

export function stateAfterRevert(current: AppliedState, { undone, apps, pinned, by }: RevertResult): AppliedState {
  const others = Object.entries(current.apps).filter(([app]) => !apps.includes(app));
  const returned = apps.flatMap((app): [string, AppliedApp][] => {
    const before = ownMember(undone.left.apps, app);
    return before === undefined ? [] : [[app, { ...before, ...(pinned.has(app) && { pinnedBy: by }) }]];
  });
  return { ...current, apps: Object.fromEntries([...others, ...returned]) };
}
