import type { Ports } from "../../ports/index.ts";
import { omitUndefined } from "../../words/omit-undefined.ts";
import type { Planned } from "../planning.ts";
import { formerNameOf } from "../step.ts";
import type { EnvFileCopy, Left, LeftApp, ReleaseHead } from "../release.ts";

interface Made {
  readonly envFiles: readonly EnvFileCopy[];
  readonly save: boolean;
  readonly boots: ReadonlyMap<string, number>;
}

export function leftAfter({ clock }: Ports, now: Planned, { envFiles, save, boots }: Made): Left {
  const { steps } = now.decision;
  const gone = new Set(steps.flatMap((step) => (step.do === "remove" ? [step.app] : [formerNameOf(step)])));
  const before = Object.entries(now.left.apps).filter(([app]) => !gone.has(app));
  const after = now.expected.map((app): [string, LeftApp] => {
    const { name, environments, envFiles: own } = app;
    const probe = now.probes.get(name);
    const bootMs = boots.get(name) ?? now.left.apps[name]?.bootMs;
    return [
      name,
      {
        environment: now.content.name,
        service: now.serviceOf(name),
        keys: [...new Set(environments.flatMap((variables) => Object.keys(variables)))],
        ...omitUndefined({ probe, bootMs }),
        envFiles: envFiles.filter(({ path }) => own.includes(path)),
      },
    ];
  });
  return { apps: Object.fromEntries([...before, ...after]), ...(!save && { unsavedAtMs: clock.now() }) };
}

interface Return {
  readonly undone: Pick<ReleaseHead, "left">;
  readonly apps: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly by: string;
}

export function leftReturned(now: Left, { undone, apps, pinned, by }: Return): Left {
  const others = Object.entries(now.apps).filter(([app]) => !apps.includes(app));
  const returned = apps.flatMap((app): [string, LeftApp][] => {
    const before = undone.left.apps[app];
    return before === undefined ? [] : [[app, { ...before, ...(pinned.has(app) && { pinnedBy: by }) }]];
  });
  return { ...now, apps: Object.fromEntries([...others, ...returned]) };
}
