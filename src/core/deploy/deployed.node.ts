import { existsSync } from "node:fs";
import { join } from "node:path";
import { SvcmError } from "../api/errors.ts";
import { lstatIfReadable } from "../files/system.ts";
import type { HasFacts } from "../project/port-repository.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";
import { serviceFolder } from "../project/service-folder.node.ts";
import type { Deployed } from "../rollout/port-deployed.ts";
import { chooseDeploy, rootOf, type ChosenDeploy } from "./record.ts";
import { deployOfLink } from "./layout.ts";
import type { DeployRoot, HasDeploys } from "./port-deploys.ts";

function defaultDeployRoot(pm2Home: string, root: string, service: string): string {
  return join(serviceFolder(pm2Home, root), service === "" ? "deploy" : `deploy-${service}`);
}

/** Most repositories have no deploy, and a plan of them does not load the code of deploys. */
export function nodeDeployed(
  { root, pm2Home }: { readonly root: string; readonly pm2Home: string },
  ports: HasFacts & HasDeploys,
): Deployed {
  const find = async ({ service }: EnvironmentRequest): Promise<string | undefined> => {
    const chosen = await chooseOrNone(ports, service);
    return chosen && rootOf(chosen, root, (owner) => defaultDeployRoot(pm2Home, root, owner));
  };
  return {
    defaultRoot: (service) => defaultDeployRoot(pm2Home, root, service),
    async world(request) {
      const folder = await find(request);
      if (folder === undefined || !lstatIfReadable(`${folder}/current`)) return undefined;
      const { findCurrentWorld } = await import("./current-release.ts");
      await requireOwn(ports, { folder, checkout: root }, request);
      return await findCurrentWorld(await ports.deploys(), folder, request.environment);
    },
    async link(request) {
      const folder = await find(request);
      return folder && `${folder}/current`;
    },
    async current(folder) {
      return await (await ports.deploys()).open(folder).current();
    },
    async foreign() {
      const folder = await find({});
      if (folder === undefined || !lstatIfReadable(`${folder}/current`)) return null;
      return await (await ports.deploys()).open(folder).foreign();
    },
    async issues(request, lastApplied, touched) {
      const folder = await find(request);
      if (folder === undefined || !existsSync(`${folder}/records`)) return [];
      const { listDeployIssues } = await import("./current-release.ts");
      return await listDeployIssues((await ports.deploys()).open(folder), lastApplied, touched);
    },
    async withLock(folder, timeoutMs, work, signal) {
      return await (await ports.deploys()).open(folder).withLock(timeoutMs, work, signal);
    },
    async changedFiles({ id, root: folder }) {
      return await (await ports.deploys()).open(folder).changedFiles(id);
    },
    planSwitch: async ({ id, root: folder }) => planSwitch((await ports.deploys()).open(folder), id),
    async switchTo({ id, root: folder }) {
      const deployRoot = (await ports.deploys()).open(folder);
      await deployRoot.switchTo(id);
    },
    endUndone: async ({ former, root: folder }, at) => endUndone((await ports.deploys()).open(folder), former, at),
  };
}

async function requireOwn(
  ports: HasFacts & HasDeploys,
  { folder, checkout }: { readonly folder: string; readonly checkout: string },
  request: EnvironmentRequest,
): Promise<void> {
  const { owner: service = "" } = (await chooseOrNone(ports, request.service)) ?? {};
  const services = Object.keys((await ports.facts.project())?.services ?? {});
  await (await ports.deploys()).open(folder).requireOwn({ checkout, service, services });
}

async function planSwitch(root: DeployRoot, id: string | null): ReturnType<Deployed["planSwitch"]> {
  const { from, to } = await root.planSwitch(id);
  const isThere = id === null ? from === to : deployOfLink(from) === id;
  return isThere ? undefined : { path: root.layout.current, from, to };
}

async function endUndone(root: DeployRoot, id: string | null, at: string): Promise<void> {
  const record = (await root.records()).find((one) => one.id === id);
  if (record?.state !== "applying" && record?.state !== "half") return;
  await root.append(record.id, { event: "end", outcome: "reverted", at, reason: "it was not finished, and undone" });
}

/** The command itself reports a service that does not exist. */
async function chooseOrNone({ facts }: HasFacts, service: string | undefined): Promise<ChosenDeploy | undefined> {
  try {
    return chooseDeploy(await facts.project(), service);
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}
