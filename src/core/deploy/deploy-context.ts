import { SvcmError } from "../api/errors.ts";
import type { Caller } from "../access/operation.ts";
import type { HasHost } from "../files/ports.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import type { ApplyPorts } from "../rollout/ports.ts";
import { chooseDeploy, rootOf, type ChosenDeploy } from "./record.ts";
import type { DeployRoot, Deploys, HasDeploys } from "./port-deploys.ts";

/** The ports of the larger functions of this room. */
export interface DeployPorts extends ApplyPorts, HasHost, HasDeploys {}

export interface DeployContext extends ChosenDeploy {
  readonly ports: DeployPorts;
  readonly caller: Caller;
  readonly deploys: Deploys;
  readonly root: DeployRoot;
  readonly environment: string;
  /** The names of the environment. */
  readonly spellings: readonly string[];
  readonly service: string | undefined;
  /** Notes take the place of what a first deploy refuses. */
  readonly isAdopting: boolean;
  /** Lines that were shown while it works, and that the result repeats. */
  readonly notes: string[];
}

export async function openDeployRoot(
  ports: Pick<DeployPorts, "deploys" | "deployed" | "facts" | "workspace">,
  service: string | undefined,
): Promise<ChosenDeploy & Pick<DeployContext, "deploys" | "root">> {
  const { facts, workspace } = ports;
  const chosen = chooseDeploy(await facts.project(), service);
  const deploys = await ports.deploys();
  return {
    ...chosen,
    deploys,
    root: deploys.open(rootOf(chosen, workspace.root, (owner) => ports.deployed.defaultRoot(owner))),
  };
}

export function note({ notes, caller }: Pick<DeployContext, "notes" | "caller">, text: string): void {
  notes.push(text);
  caller.say?.(text);
}

export function requestOf({
  environment,
  service,
}: Pick<DeployContext, "environment" | "service">): EnvironmentRequest {
  return { environment, service };
}

/** Before it is prepared, a deploy ends in order. @throws {SvcmError} DEPLOY_FAILED with DEPLOY_STOPPED */
export function requireNotStopped({ caller }: Pick<DeployContext, "caller">): void {
  if (caller.signal?.aborted !== true) return;
  throw new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_STOPPED",
    details: "It was stopped before the release was prepared.",
  });
}
