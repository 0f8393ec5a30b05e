import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasHost } from "../files/ports.ts";
import { listDeployRoots, type RolloutPorts } from "./ports.ts";
import type { KnownEffect } from "../env/port-effects.ts";
import type { EnvFile } from "../env/env-file.ts";
import { SvcmError } from "../api/errors.ts";
import { listOrEmpty } from "../pm2/list.ts";
import { loadOnce, readEcosystem, type EcosystemContent } from "../pm2/ecosystem-file.ts";
import { baseName, nameList } from "../words/text.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { envLayerPaths, envServices, servicesAround } from "../project/env-layers.ts";
import { findLayerUsers, type LayerUser } from "../project/resolve.ts";
import { environmentsWithEcosystem } from "../pm2/declared.ts";
import { expectedApps, type ExpectedApp } from "./expected.ts";
import { findOtherCheckouts } from "./started-environment.ts";
import { type Digests, readEnvFileContents, readStartCommand } from "../running/env-files.ts";
import { decideEffect, mergeEffects, type FileReader } from "../running/stale-processes.ts";
import { ownMember, withMembers } from "../words/record.ts";

const NO_EFFECT: KnownEffect = { staleProcesses: [], overrides: [], elsewhere: [] };

/**
 * The processes that read the file in any environment and service. The file is already written, so a failure is
 * returned and not thrown.
 */
export async function readEffect(
  ports: RolloutPorts,
  file: Pick<EnvFile, "name" | "service" | "path">,
  keys: readonly string[],
): Promise<KnownEffect> {
  if (keys.length === 0) return NO_EFFECT;
  const project = await ports.facts.project();
  const contract = await ports.facts.runtimeContract();
  const { name: environment, service = "" } = file;
  const users = project ? findLayerUsers(project, ports.workspace.root, file.path) : [{ service: "", environment }];
  try {
    const once = withMembers(ports, { ecosystems: loadOnce(ports.ecosystems) });
    const running = await listOrEmpty(ports.processes);
    const deployRoots = running.length === 0 ? [] : await listDeployRoots(ports);
    const effects = await Promise.all(
      users.map(async (user) => {
        const readers = await readFileReaders(once, user);
        const layers = envLayerPaths(ports.workspace, { project, contract }, user.environment, user.service);
        const contents = await readEnvFileContents(ports, layers, (value) => ports.processes.digest(value));
        const values = Object.assign({}, ...layers.map((path) => contents.get(path) ?? {})) as Digests;
        const started = running.filter(
          (one) => readers.some(({ name }) => name === one.name) && one.startedAt !== null,
        );
        const others = findOtherCheckouts(ports, readers, started, deployRoots);
        const ours = started.filter((one) => findOtherCheckouts(ports, readers, [one], deployRoots).length === 0);
        const isUnchanged = await readUnchanged(ports, layers, ours);
        const effect = decideEffect({ environment: user.environment, keys, values, isUnchanged }, readers, ours);
        const isRequested = user.environment === environment && user.service === service;
        return { ...effect, overrides: isRequested ? effect.overrides : [], readers, others };
      }),
    );
    const unknownEffect = effects.some(({ readers }) => readers.length > 0)
      ? otherCheckoutsText(effects.flatMap(({ others }) => others))
      : undeclaredReaders(file, running);
    return { ...mergeEffects(effects, environment), ...(unknownEffect !== undefined && { unknownEffect }) };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { ...NO_EFFECT, unknownEffect: error.message };
  }
}

/** Without an ecosystem file, any process in the folder of the file may read it. */
function undeclaredReaders(file: Pick<EnvFile, "path">, running: readonly ProcessRecord[]): string | undefined {
  const folder = file.path.replace(/\/[^/]*$/, "");
  const inFolder = running.filter(({ cwd, startedAt }) => startedAt !== null && `${cwd}/`.startsWith(`${folder}/`));
  const names = [...new Set(inFolder.map(({ name }) => name))].toSorted();
  if (names.length === 0) return undefined;
  return `no ecosystem file declares the apps of this environment, and ${nameList(names)} may read the file. To restart what reads it: svcm restart <name>`;
}

/** Compares the present values with those of the records of starts. */
async function readUnchanged(
  ports: RolloutPorts,
  layers: readonly string[],
  running: readonly ProcessRecord[],
): Promise<(pmId: number, key: string) => boolean> {
  const processes = running.flatMap(({ pmId, pid, lastStartAt: startedAt, versioning }) =>
    pid === null || startedAt === null ? [] : [{ pmId, pid, startedAt, versioning }],
  );
  const starts = ports.runningCode.envFilesAtStart(processes);
  if (starts.size === 0) return () => false;
  const { digest } = await ports.processes.withHomeKey();
  const contents = await readEnvFileContents(ports, layers, digest);
  const joined = (of: (path: string) => Digests | null | undefined): Digests =>
    Object.assign({}, ...layers.map((path) => of(path) ?? {})) as Digests;
  const now = joined((path) => contents.get(path));
  return (pmId, key) => {
    const start = starts.get(pmId);
    if (start === undefined || layers.every((path) => ownMember(start, path) === undefined)) return false;
    return (
      ownMember(
        joined((path) => ownMember(start, path)),
        key,
      ) === ownMember(now, key)
    );
  };
}

/** Another checkout has another env file, unless a link leads to one that both read. */
function otherCheckoutsText(others: readonly { readonly apps: readonly string[]; readonly folder: string }[]) {
  const texts = new Set(others.map(({ apps, folder }) => `PM2 has ${nameList(apps)} from the checkout ${folder}`));
  return texts.size === 0 ? undefined : `${[...texts].join(", and ")}.`;
}

/** The apps that read the env files of a service. @throws {SvcmError} as {@link readEcosystem} */
export async function readFileReaders(
  ports: RolloutPorts,
  { environment: name, service }: LayerUser,
): Promise<(FileReader & Pick<ExpectedApp, "script" | "cwd">)[]> {
  const project = await ports.facts.project();
  const declaring = service === "" ? [undefined] : servicesAround(project, service);
  const appsIn = async (environment: string): Promise<ExpectedApp[]> => {
    const contents = await Promise.all(declaring.map((one) => readEcosystem(ports, { environment, service: one })));
    const apps = contents.flatMap((content) => appsOf(ports, content));
    if (service === "") return apps;
    const cwds = await Promise.all(apps.map(async (app) => (await readStartCommand(ports, app.command)).folder));
    const servicesOf = (app: ExpectedApp, index: number): readonly string[] =>
      envServices(project, ports.workspace.root, { ...app, cwd: cwds[index] ?? app.cwd });
    return apps.filter((app, index) => servicesOf(app, index).includes(service));
  };
  const apps = await appsIn(name);
  if (apps.length === 0) return [];
  const others = (await environmentsWithEcosystem(ports)).filter((other) => other !== name);
  const elsewhere = await Promise.all(
    others.map(async (environment) => {
      // Such a file cannot have started the process.
      return [environment, await appsIn(environment).catch(() => [])] as const;
    }),
  );
  return apps.map(({ name: app, script, cwd, definedIn, environments, openKeys }) => {
    const same = elsewhere.flatMap(([environment, found]) => {
      const other = found.find((one) => one.name === app);
      return other === undefined ? [] : [[environment, other.environments] as const];
    });
    const declared = new Map([[name, environments], ...same]);
    return { name: app, script, cwd, fileName: baseName(definedIn), openKeys, declared };
  });
}

function appsOf(
  { host, workspace, processes }: HasHost & HasProcesses & HasWorkspace,
  { loaded, spellings }: EcosystemContent,
): ExpectedApp[] {
  if (loaded === undefined) return [];
  const machine = { cpuCores: host.cpuCores(), pm2Home: workspace.pm2Home };
  const apps = expectedApps(loaded, { machine, spellings, digest: (value) => processes.digest(value) });
  return apps.filter(({ name }) => name !== "");
}
