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

/**
 * The services whose env files an app reads: the one that declares it, then the one in whose folder it works. An
 * ecosystem file at the top may declare the apps of every folder.
 */
export function envServices(
  project: Project | undefined,
  root: string,
  { service, cwd }: { readonly service: string; readonly cwd: string },
): string[] {
  const relative = cwd.startsWith(`${root}/`) ? cwd.slice(root.length + 1) : ".";
  const innermost = servicesAbove(project, relative).filter(([, folder]) => folder !== ".");
  return [...new Set([service, ...innermost.slice(0, 1).map(([name]) => name)])];
}

/** The service, and those in whose folders its own is, whose ecosystem files may declare its apps. */
export function servicesAround(project: Project | undefined, service: string): string[] {
  const { folder = "." } = ownMember(project?.services ?? {}, service) ?? {};
  return [...new Set([service, ...servicesAbove(project, fromRoot(folder)).map(([name]) => name)])];
}

/** From the innermost. Folders are relative to the repository. */
function servicesAbove(project: Project | undefined, below: string): [name: string, folder: string][] {
  return Object.entries(project?.services ?? {})
    .map(([name, { folder }]): [string, string] => [name, fromRoot(folder)])
    .filter(([, folder]) => folder === "." || `${below}/`.startsWith(`${folder}/`))
    .toSorted(([, a], [, b]) => b.length - a.length);
}

function fromRoot(folder: string): string {
  return resolvePath("/", folder).slice(1) || ".";
}

/** Of every service and, unless one is given, of every environment. */
export function allEnvPaths(
  workspace: Pick<Workspace, "root" | "configDir">,
  facts: Parameters<typeof envLayerPaths>[1],
  environments: readonly string[] = Object.keys(facts.contract.environments),
): string[] {
  const services = Object.keys(facts.project?.services ?? { "": {} });
  return environments.flatMap((environment) =>
    services.flatMap((service) => envLayerPaths(workspace, facts, environment, service)),
  );
}

/** Of services that start no app in the environment: an app of another service may read them. */
export function looseEnvPaths(
  workspace: Pick<Workspace, "root" | "configDir">,
  facts: Parameters<typeof envLayerPaths>[1],
  environment: string,
): string[] {
  return Object.entries(facts.project?.services ?? {})
    .filter(([, { ecosystem }]) => (ownMember(ecosystem, environment) ?? []).length === 0)
    .flatMap(([service]) => envLayerPaths(workspace, facts, environment, service));
}
