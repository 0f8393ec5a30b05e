import { ownMember } from "../words/record.ts";
import type { Workspace } from "./port-repository.ts";
import type { RuntimeContract } from "../api/facts.ts";

import type { Project } from "./project.ts";
import { resolvePath } from "./resolve.ts";

/**
 * The env files that the apps of a service read in an environment, in their order. Without `svcm.yaml`, the only file
 * of the environment.
 * @param environment its canonical name
 */
export function envLayerPaths(
  { root, configDir }: Pick<Workspace, "root" | "configDir">,
  { project, contract }: { readonly project: Project | undefined; readonly contract: RuntimeContract },
  environment: string,
  service: string,
): string[] {
  if (project === undefined) {
    const file = ownMember(contract.environments, environment)?.file;
    return file === undefined ? [] : [`${configDir}/${file}`];
  }
  const { folder = ".", env = {} } = ownMember(project.services, service) ?? {};
  return (ownMember(env, environment)?.layers ?? []).map((layer) => resolvePath(resolvePath(root, folder), layer));
}

/** Of every service and environment. */
export function allEnvPaths(
  workspace: Pick<Workspace, "root" | "configDir">,
  facts: Parameters<typeof envLayerPaths>[1],
): string[] {
  const services = Object.keys(facts.project?.services ?? { "": {} });
  return Object.keys(facts.contract.environments).flatMap((environment) =>
    services.flatMap((service) => envLayerPaths(workspace, facts, environment, service)),
  );
}
