import type { Deploys, ReleaseWorld } from "../port-deploys.ts";
import { deployGit } from "./git.ts";
import { openReleaseFile } from "./release-file.ts";
import { deployRoot, realRoot, registrySecrets } from "./root.ts";
import { endCommands, runCommand } from "./run-command.ts";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPathIfReadable } from "../../files/system.ts";
import { isBelow } from "../../running/code-files.ts";
import type { HasHost } from "../../files/ports.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import type { ApplyPorts } from "../../rollout/ports.ts";
import { SvcmError } from "../../api/errors.ts";
import { changedFiles } from "./release-files.ts";
import { mapLoaded, type PathMap } from "../map-paths.ts";
import { deployOfPath, type Layout, type ReleasePlace } from "../layout.ts";

export function nodeDeploys(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string | undefined>> },
  world: Deploys["world"],
): Deploys {
  return {
    open: (folder) => deployRoot(realRoot(folder)),
    git: (repository) => deployGit({ root, repository, env }),
    releaseFile: (path, layout) =>
      openReleaseFile({ root, layout, git: deployGit({ root, repository: layout.repository, env }) }, path),
    world,
    run: runCommand,
    endCommands,
    requireOwner,
    callerVariables: () => env,
    registrySecrets: (folder) => registrySecrets([folder, env["HOME"] ?? folder]),
  };
}

function requireOwner(pm2Home: string): void {
  const { uid } = statSync(pm2Home, { throwIfNoEntry: false }) ?? {};
  const own = process.getuid?.();
  if (uid === undefined || own === undefined || uid === own) return;
  throw new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_ROOT_TAKEN",
    path: pm2Home,
    details: `${pm2Home} belongs to the user with the number ${uid}, who could not change a release of the user ${own}. Its commands would run as ${own}, too.`,
    hint: `Deploy as that user: sudo -u '#${uid}' svcm deploy`,
  });
}

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
    workspace: { ...own.workspace, stateFolder, auditFile, checkout: resolve(place.checkout, place.prefix) },
    ecosystems: {
      ...ecosystems,
      load: async (...args) => {
        const loaded = await ecosystems.load(...args);
        const places = new Set(loaded.apps.flatMap(({ places: { cwd, script } }) => [cwd, script]));
        const links = [...places].flatMap((path) => linkInto(place.layout, paths, path) ?? []);
        return withFound([...links, paths].reduce(mapLoaded, loaded));
      },
    },
    revisions: {
      ...own.revisions,
      // The folder has no Git, and a checkout above it is another one.
      readState: async () => {
        const changed = await changedFiles(place.layout, place.id, { withPackages: false });
        return { commit: place.commit, dirty: changed.map((name) => join(releaseFolder(place), name)) };
      },
    },
    runningCode: {
      ...runningCode,
      // No commit is checked out into the folder later, an app may build there when it starts, and `readState` has the rest.
      listUncommitted: async () => ({ paths: [], problem: null }),
    },
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

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path === folder || isBelow(path, folder));
}

/** The path lies below a link to the checkout or to `current`: the highest folder of it that leads there. */
function linkInto({ releases }: Layout, { from, release }: PathMap, path: string): PathMap | undefined {
  let found: PathMap | undefined;
  if (isIn([...from, release], path)) return found;
  for (let link = path; link.length > 1 && link.startsWith("/"); link = dirname(link)) {
    const real = realPathIfReadable(link);
    const id = deployOfPath({ releases }, real);
    const target = id === undefined ? real : `${release}${real.slice(`${releases}/${id}`.length)}`;
    if (real !== link && isIn([...from, release], target)) found = { from: [link], release: target, shared: target };
  }
  return found;
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
