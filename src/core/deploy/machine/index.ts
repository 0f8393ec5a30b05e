import { join } from "node:path";
import { serviceName } from "../../project/service-name.node.ts";
import type { Deploys } from "../port-deploys.ts";
import { deployGit } from "./git.ts";
import { deployRoot, realRoot, registrySecrets } from "./root.ts";
import { endCommands, runCommand } from "./run-command.ts";

interface NodeDeploysOptions {
  readonly root: string;
  readonly pm2Home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export { releaseRoot, releaseWorld } from "./world.ts";

export function nodeDeploys({ root, pm2Home, env }: NodeDeploysOptions, world: Deploys["world"]): Deploys {
  return {
    defaultRoot: (service) => join(pm2Home, "svcm", serviceName(root), service === "" ? "deploy" : `deploy-${service}`),
    open: (folder) => deployRoot(realRoot(folder)),
    git: (repository) => deployGit({ root, repository, env }),
    world,
    run: runCommand,
    endCommands,
    callerVariables: () => env,
    registrySecrets: (folder) => registrySecrets([folder, env["HOME"] ?? folder]),
  };
}
