import type { Ports } from "../../ports/index.ts";
import type { Planned } from "../planning.ts";
import type { EnvFileCopy, Left, LeftApp, ReleaseHead } from "../release.ts";

interface Made {
  readonly envFiles: readonly EnvFileCopy[];
  readonly save: boolean;
}

/** The apps after a whole apply. */
export function leftAfter({ clock }: Ports, now: Planned, { envFiles, save }: Made): Left {
  const removed = new Set(now.decision.steps.filter((step) => step.do === "remove").map(({ app }) => app));
  const before = Object.entries(now.left.apps).filter(([app]) => !removed.has(app));
  const after = now.expected.map((app): [string, LeftApp] => {
    const { name, environments, envFiles: own } = app;
    const probe = now.probes.get(name);
    return [
      name,
      {
        environment: now.content.name,
        service: now.serviceOf(name),
        keys: [...new Set(environments.flatMap((variables) => Object.keys(variables)))],
        ...(probe !== undefined && { probe }),
        envFiles: envFiles.filter(({ path }) => own.includes(path)),
      },
    ];
  });
  return { apps: Object.fromEntries([...before, ...after]), ...(!save && { unsavedAtMs: clock.now() }) };
}

interface Return {
  /** The release that is undone. */
  readonly undone: Pick<ReleaseHead, "left">;
  readonly apps: readonly string[];
  readonly pinned: ReadonlySet<string>;
  /** The release that returns them. */
  readonly by: string;
}

/** The apps after the return of some of them. */
export function leftReturned(now: Left, { undone, apps, pinned, by }: Return): Left {
  const others = Object.entries(now.apps).filter(([app]) => !apps.includes(app));
  const returned = apps.flatMap((app): [string, LeftApp][] => {
    const before = undone.left.apps[app];
    return before === undefined ? [] : [[app, { ...before, ...(pinned.has(app) && { pinnedBy: by }) }]];
  });
  return { ...now, apps: Object.fromEntries([...others, ...returned]) };
}
