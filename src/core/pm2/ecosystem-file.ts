import type { EcosystemLoader, HasEcosystems, LoadPurpose, Repository } from "./ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { FileError } from "../files/ports.ts";
import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { SvcmError } from "../api/errors.ts";
import type { RuntimeContract } from "../api/facts.ts";
import {
  resolvePath,
  chooseServices,
  ecosystemSpellings,
  type Environment,
  type NamedService,
  type EnvironmentRequest,
  resolveEnvironment,
  spellingsOf,
} from "../project/resolve.ts";
import { PROJECT_FILE } from "../project/project.ts";
import { baseName } from "../words/text.ts";
import { isRecord, withMembers, ownMember } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import { ecosystemFileNames, pm2FileKind, type LoadedApp, type LoadedEcosystem } from "./loaded.ts";
import { normaliseApp } from "./normalise.ts";
import { createScrub, findSecrets } from "./scrub.ts";
import type { EcosystemFile } from "./view.ts";
import { markVolatile } from "./volatile.ts";

type EcosystemPorts = HasEcosystems & HasFacts & HasWorkspace;

/** Contains values, so it never leaves the process. */
export interface EcosystemContent extends EcosystemFile {
  readonly listed: readonly string[];
  readonly contract: RuntimeContract;
  readonly spellings: readonly string[];
}

type LocatedEcosystem = Omit<EcosystemContent, "contract" | "spellings">;

/**
 * If there is no file, the result names the file that svcm looks for.
 * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST for the service, ECOSYSTEM_FILE_FAILED
 */
export async function readEcosystem(ports: EcosystemPorts, request: EnvironmentRequest): Promise<EcosystemContent> {
  const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
  const spellingsByEnvironment = ecosystemSpellings(contract, matrix);
  const environment = resolveEnvironment(
    spellingsByEnvironment,
    contract,
    request.environment,
    ports.workspace.nodeEnv,
  );
  const project = await ports.facts.project();
  const requested = chooseServices(project, request.service);
  const read = await (requested.length === 0
    ? readNamed(ports, environment)
    : readDeclared(ports, environment, chooseServices(project, undefined), requested));
  return { ...read, contract, spellings: spellingsOf(spellingsByEnvironment, environment.name) };
}

/** Runs the file once more and marks what differs. Without a second result, nothing is marked. */
export async function repeatEcosystem<Content extends EcosystemFile>(
  ports: EcosystemPorts,
  request: EnvironmentRequest,
  content: Content,
  purpose: LoadPurpose = "repeat",
): Promise<Content> {
  const { loaded } = content;
  if (loaded === undefined) return content;
  const again = await readEcosystem(withPurpose(ports, purpose), request).catch(() => undefined);
  return { ...content, loaded: markVolatile(loaded, again?.loaded ?? loaded) };
}

export function withPurpose<P extends EcosystemPorts>(ports: P, purpose: LoadPurpose): P {
  const { ecosystems } = ports;
  const load: EcosystemLoader["load"] = (path, cwd, _purpose, pm2Env) => ecosystems.load(path, cwd, purpose, pm2Env);
  return withMembers(ports, { ecosystems: { ...ecosystems, load } });
}

async function readNamed(ports: EcosystemPorts, environment: Environment): Promise<LocatedEcosystem> {
  const { pm2Dir } = ports.workspace;
  const names = ecosystemFileNames(environment.name);
  const [contractName] = names;
  try {
    const listed = await ports.ecosystems.list(pm2Dir);
    const fileName = names.find((name) => listed.includes(name));
    const path = `${pm2Dir}/${fileName ?? contractName}`;
    const file = { ...environment, listed, fileName: fileName ?? contractName, path };
    return fileName === undefined ? file : { ...file, loaded: await ports.ecosystems.load(path) };
  } catch (error) {
    throw ecosystemFailure(error, ports, `${pm2Dir}/${contractName}`);
  }
}

/** Each file of `svcm.yaml` is run in its folder and read as PM2 reads it with `--env`. */
async function readDeclared(
  ports: EcosystemPorts,
  environment: Environment,
  services: readonly NamedService[],
  requested: readonly NamedService[],
): Promise<LocatedEcosystem> {
  const { root } = ports.workspace;
  const names = new Set(requested.map(({ name }) => name));
  const [first, ...others] = sourcesOf(root, services, environment.name).filter(({ service }) => names.has(service));
  if (!first) return { ...environment, listed: [], fileName: PROJECT_FILE, path: `${root}/${PROJECT_FILE}` };
  const { path } = first;
  try {
    const ecosystems = loadOnce(ports.ecosystems);
    const load = (source: Source): Promise<LoadedEcosystem> => loadSource(ecosystems, source);
    const loaded = await Promise.all([load(first), ...others.map(load)]);
    // Files of other names in the folder have no meaning, because `svcm.yaml` names each file.
    return { ...environment, listed: [], fileName: baseName(path), path, loaded: mergeLoaded(loaded) };
  } catch (error) {
    throw ecosystemFailure(error, ports, path);
  }
}

async function loadSource(ecosystems: EcosystemLoader, source: Source): Promise<LoadedEcosystem> {
  const { service, path, cwd, declaresCwd, env, blocks } = source;
  if (pm2FileKind(baseName(path)) === undefined)
    throw new FileError(
      "ECOSYSTEM_FILE_KIND",
      path,
      `Cannot load ${path}: because of its name, PM2 would run it as a script.`,
    );
  const loaded = await ecosystems.load(path, cwd, undefined, env);
  const selected = loaded.apps.filter(({ fields }) => includesApp(source, normaliseApp(fields).name));
  const start = { service, path, env, declaresCwd };
  return {
    ...loaded,
    apps: selected.map((app) => ({ ...asStarted(withoutKeys(app, blocks), env), start })),
    appsElsewhere: loaded.apps.length - selected.length,
  };
}

/** Blocks that another environment uses have an effect. */
function withoutKeys(app: LoadedApp, blocks: ReadonlySet<string>): LoadedApp {
  return { ...app, keys: app.keys.filter((key) => !blocks.has(key)) };
}

/** As `pm2 start --env` starts it. For `--only` and for the `apps` of `svcm.yaml`, the name in the file counts. */
function asStarted(app: LoadedApp, env: string | undefined): LoadedApp {
  if (env === undefined) return app;
  const { name } = normaliseApp(app.fields);
  const merged = withBlock(app, env);
  const isRenamed = name !== "" && Boolean(app.fields["append_env_to_name"]);
  return isRenamed ? { ...merged, fields: { ...merged.fields, name: `${name}-${env}` }, nameInFile: name } : merged;
}

function withBlock(app: LoadedApp, env: string): LoadedApp {
  const name = `env_${env}`;
  const { [name]: block, ...others } = app.fields;
  if (!isRecord(block)) return app;
  const { port, ...fields } = others;
  const declared = isRecord(fields["env"]) ? fields["env"] : {};
  // PM2 turns `port` into PORT first.
  const isHidden = port === undefined || Object.hasOwn(block, "PORT");
  return {
    ...app,
    fields: { ...fields, ...(!isHidden && { port }), env: { ...declared, ...block } },
    unset: app.unset.filter((key) => !Object.hasOwn(block, key)),
  };
}

function mergeLoaded(loaded: readonly [LoadedEcosystem, ...LoadedEcosystem[]]): LoadedEcosystem {
  return {
    ...loaded[0],
    apps: withoutRepeats(loaded),
    appsElsewhere: loaded.reduce((sum, { appsElsewhere = 0 }) => sum + appsElsewhere, 0),
    isDefaultExport: loaded.some((one) => one.isDefaultExport),
    parts: loaded,
    files: loaded.flatMap((one) => one.files),
    withheld: [...new Set(loaded.flatMap((one) => one.withheld))],
  };
}

/** `sourcesOf` compares paths as written; a link may lead to a file that another entry names. */
function withoutRepeats(loaded: readonly LoadedEcosystem[]): LoadedApp[] {
  const seen = new Set<string>();
  return loaded.flatMap(({ realPath, apps }) => {
    const keys = apps.map((app) => [app, JSON.stringify([realPath, app.start?.env, app.fields, app.places])] as const);
    const fresh = keys.filter(([, key]) => !seen.has(key));
    for (const [, key] of fresh) seen.add(key);
    return fresh.map(([app]) => app);
  });
}

function ecosystemFailure(error: unknown, ports: EcosystemPorts, fallback: string): unknown {
  if (!(error instanceof FileError)) return error;
  const path = error.path === ports.workspace.pm2Dir ? fallback : error.path;
  const scrub = createScrub(ports.ecosystems.withheldValues());
  return new SvcmError("ECOSYSTEM_FILE_FAILED", { code: error.code, path, details: scrub(error.message) });
}

export async function readSecrets(ports: Repository, contract: RuntimeContract): Promise<string[]> {
  const texts = await Promise.all(
    (await envPaths(ports, contract)).map((path) => ports.files.read(path).then(decodeUtf8, () => undefined)),
  );
  const variables = texts.flatMap((text) => (text === undefined ? [] : [...valuesOf(parseEnvDocument(text))]));
  return [...ports.ecosystems.withheldValues(), ...findSecrets(contract, variables)];
}

async function envPaths({ facts, workspace }: HasFacts & HasWorkspace, contract: RuntimeContract): Promise<string[]> {
  const project = await facts.project();
  if (!project) return Object.values(contract.environments).map(({ file }) => `${workspace.configDir}/${file}`);
  return Object.values(project.services).flatMap(({ folder, env }) =>
    Object.values(env).flatMap(({ layers }) =>
      layers.map((layer) => resolvePath(resolvePath(workspace.root, folder), layer)),
    ),
  );
}

/** A file that does not read the command is the same for each name after `--env`, and runs once. */
export function loadOnce(loader: EcosystemLoader): EcosystemLoader {
  const loads = new Map<string, ReturnType<EcosystemLoader["load"]>>();
  const once: EcosystemLoader["load"] = (...args) => {
    const key = args.join("\0");
    const load = loads.get(key) ?? loader.load(...args);
    loads.set(key, load);
    return load;
  };
  return {
    ...loader,
    async load(path, cwd, purpose, pm2Env) {
      const key = ["first", path, cwd, purpose].join("\0");
      const first = loads.get(key) ?? once(path, cwd, purpose, pm2Env);
      loads.set(key, first);
      const loaded = await first.catch(() => undefined);
      return loaded?.readsCommand === false ? loaded : await once(path, cwd, purpose, pm2Env);
    },
  };
}

/** Gives apps of a PM2 file to a service. */
interface Source {
  readonly service: string;
  readonly path: string;
  readonly cwd: string;
  readonly declaresCwd: boolean;
  readonly env: string | undefined;
  /** `undefined` if every app of the file belongs to the service. */
  readonly apps: readonly string[] | undefined;
  /** Apps that another service claims by name. */
  readonly except: readonly string[];
  readonly blocks: ReadonlySet<string>;
}

/**
 * The same app of the same file exists once, whatever `svcm.yaml` says: it belongs to the service that names it, else to
 * the first one. So all services are needed, even if only some of them are requested.
 */
export function sourcesOf(
  root: string,
  services: readonly NamedService[],
  environment: string,
  folderOf: (service: NamedService["service"]) => string = ({ folder }) => resolvePath(root, folder),
): Source[] {
  const all = services.flatMap((service) => declaredSources(root, service, environment, folderOf));
  return all.flatMap((source, index): Source[] => {
    const earlier = all.slice(0, index).filter((other) => isSameStart(source, other));
    const others = all.filter((other) => other !== source && isSameStart(source, other));
    if (source.apps === undefined) {
      const isTaken = earlier.some(({ apps }) => apps === undefined);
      return isTaken ? [] : [{ ...source, except: others.flatMap(({ apps = [] }) => apps) }];
    }
    const taken = new Set(earlier.flatMap(({ apps = [] }) => apps));
    const apps = source.apps.filter((name) => !taken.has(name));
    return apps.length === 0 ? [] : [{ ...source, apps }];
  });
}

function isSameStart(one: Source, other: Source): boolean {
  return one.path === other.path && one.cwd === other.cwd && one.env === other.env;
}

function declaredSources(
  root: string,
  { name, service }: NamedService,
  environment: string,
  folderOf: (service: NamedService["service"]) => string,
): Source[] {
  const { ecosystem, apps } = service;
  const base = folderOf(service);
  const all = Object.values(ecosystem).flat();
  return (ownMember(ecosystem, environment) ?? []).map(({ file, cwd, env, only }) => {
    const path = resolvePath(base, file);
    const usedBlocks = all
      .filter((source) => resolvePath(base, source.file) === path)
      .map((source) => `env_${source.env}`);
    const start = { cwd: resolvePath(resolvePath(root, service.folder), cwd ?? "."), declaresCwd: cwd !== undefined };
    return { service: name, path, ...start, env, apps: narrow(apps, only), except: [], blocks: new Set(usedBlocks) };
  });
}

function narrow(apps: readonly string[] | undefined, only: readonly string[] | undefined): Source["apps"] {
  if (apps === undefined || only === undefined) return apps ?? only;
  return apps.filter((name) => only.includes(name));
}

function includesApp({ apps, except }: Pick<Source, "apps" | "except">, name: string): boolean {
  return apps === undefined ? !except.includes(name) : apps.includes(name);
}
