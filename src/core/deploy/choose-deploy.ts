import { toDeploySettings, type DeploySettings } from "../project/deploy-settings.ts";
import type { Project } from "../project/project.ts";
import { chooseService, chooseServices, resolvePath, type NamedService } from "../project/resolve.ts";

export interface ChosenDeploy {
  readonly settings: DeploySettings;
  /** The service with a separate root; `""` for the root of the whole checkout. */
  readonly owner: string;
}

/**
 * A service with its own section has its own root. Otherwise the checkout has one for all services, and the name
 * of a service limits plan and apply.
 * @throws {SvcmError} INVALID_REQUEST with SERVICE_UNKNOWN or SERVICE_REQUIRED
 */
export function chooseDeploy(project: Project | undefined, service: string | undefined): ChosenDeploy {
  const shared = project?.deploy;
  const isDivided = Object.values(project?.services ?? {}).some(({ deploy }) => deploy !== undefined);
  const needsService = service !== undefined || (isDivided && shared === undefined);
  const chosen = needsService ? chooseService(project, service) : undefined;
  if (chosen?.service.deploy !== undefined) return { settings: chosen.service.deploy, owner: chosen.name };
  return { settings: shared ?? toDeploySettings(), owner: "" };
}

/** A release has the code of each service of its root; `--service` limits only plan and apply. */
export function servicesOf(project: Project | undefined, { owner }: Pick<ChosenDeploy, "owner">): NamedService[] {
  if (owner !== "") return chooseServices(project, owner);
  return chooseServices(project, undefined).filter(({ service }) => service.deploy === undefined);
}

export function rootOf(
  { settings, owner }: ChosenDeploy,
  root: string,
  defaultRoot: (service: string) => string,
): string {
  return settings.root === undefined ? defaultRoot(owner) : resolvePath(root, settings.root);
}
