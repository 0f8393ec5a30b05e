import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { HasHost } from "../../files/port-host.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import type { ApplyPorts } from "../../rollout/apply/ports.ts";
import { mapLoaded, type PathMap } from "../map-paths.ts";
import type { ReleasePlace } from "../layout.ts";
import type { ReleaseWorld } from "../port-deploys.ts";

export function releaseFolder({ layout, id }: Pick<ReleasePlace, "layout" | "id">): string {
  return join(layout.releases, id);
}

/** The repository root in a release. */
export function releaseRoot(place: ReleasePlace): string {
  return join(releaseFolder(place), place.prefix);
}

interface WorldPorts extends ApplyPorts, HasHost {}

/**
 * @param ports of the checkout: PM2, records and clocks stay
 * @param own with the release as the repository
 */
export function releaseWorld(ports: WorldPorts, own: WorldPorts, place: ReleasePlace): ReleaseWorld {
  const { audit, clock, host, processes, releases, processLogs, schedules, logs, machine, health, stamps, deployed } =
    ports;
  const { stateFolder, auditFile } = ports.workspace;
  const paths = pathMap(place);
  const { ecosystems, facts, files, runningCode } = own;
  return {
    audit,
    clock,
    host,
    processes,
    releases,
    processLogs,
    schedules,
    logs,
    machine,
    health,
    stamps,
    deployed,
    facts,
    files,
    workspace: { ...own.workspace, stateFolder, auditFile },
    ecosystems: {
      ...ecosystems,
      load: async (...args) => withFound(mapLoaded(await ecosystems.load(...args), paths)),
    },
    revisions: {
      ...own.revisions,
      // The folder has no Git: every file of the commit is there, and a checkout above it is another one.
      readState: async () => ({ commit: place.commit, dirty: [] }),
    },
    runningCode: { ...runningCode, listUncommitted: async () => [] },
    programFolders: (process.env["PATH"] ?? "").split(":").filter(Boolean),
    paths,
  };
}

function pathMap({ layout, checkout, ...place }: ReleasePlace): PathMap {
  const from = [checkout, layout.current];
  const real = from.flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
  const isOwn = (path: string): boolean => path.startsWith(`${layout.releases}/`);
  return {
    from: [...new Set([...from, ...real.filter((path) => !isOwn(path))])],
    release: releaseFolder({ layout, ...place }),
    shared: layout.shared,
  };
}

/** The loader looked where the paths were before. */
function withFound(loaded: LoadedEcosystem): LoadedEcosystem {
  return {
    ...loaded,
    apps: loaded.apps.map(({ places, ...app }) => ({
      ...app,
      places: {
        ...places,
        hasCwd: existsSync(places.cwd),
        hasScript: places.script !== "" && existsSync(places.script),
        envFiles: places.envFiles.map((file) => ({ ...file, exists: existsSync(file.path) })),
      },
    })),
  };
}
