import type { Deploys } from "../port-deploys.ts";
import { deployGit } from "./git.ts";
import { openReleaseFile } from "./release-file.ts";
import { deployRoot, realRoot } from "./root.ts";
import { registrySecrets } from "./share.ts";
import { endCommands, runCommand } from "./run-command.ts";

export { releaseRoot, releaseWorld } from "./world.ts";

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
    callerVariables: () => env,
    registrySecrets: (folder) => registrySecrets([folder, env["HOME"] ?? folder]),
  };
}
