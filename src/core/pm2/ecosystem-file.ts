import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { SvcmError } from "../errors.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { FileError, type Ports } from "../ports/index.ts";
import { ecosystemSpellings, resolveEnvironment, type Environment } from "../project/environment.ts";
import { below, chooseService, type NamedService } from "../project/places.ts";
import type { EcosystemSource } from "../project/project.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import { ecosystemFileNames } from "./file-name.ts";
import { isRecord, normaliseApp } from "./normalise.ts";
import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { scrubOf, secretsOf } from "./scrub.ts";
import type { EcosystemFile } from "./view.ts";

export interface EcosystemRequest {
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
}

interface Facts {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

/** An environment's ecosystem file, run once, with what was found beside it. Holds values: it never leaves the process. */
export interface EcosystemContent extends EcosystemFile {
  readonly listed: readonly string[];
}

/**
 * Runs the ecosystem files of an environment. If there is none, the answer names the file that svcm looks for.
 *
 * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST for the service, ECOSYSTEM_FILE_FAILED
 */
export async function readEcosystem(
  ports: Ports,
  facts: Facts,
  asked: EcosystemRequest,
  signal?: AbortSignal,
): Promise<EcosystemContent> {
  const spellings = ecosystemSpellings(facts.contract, facts.matrix);
  const environment = resolveEnvironment(spellings, facts.contract, asked.environment, ports.workspace.nodeEnv);
  const chosen = chooseService(await ports.facts.project(), asked.service);
  return chosen ? await readDeclared(ports, environment, chosen, signal) : await readNamed(ports, environment, signal);
}

/** The file in the PM2 folder that is named after the environment. */
async function readNamed(ports: Ports, environment: Environment, signal?: AbortSignal): Promise<EcosystemContent> {
  const { pm2Dir } = ports.workspace;
  const names = ecosystemFileNames(environment.name);
  const [contractName] = names;
  try {
    const listed = await ports.ecosystems.list(pm2Dir);
    const fileName = names.find((name) => listed.includes(name));
    const path = `${pm2Dir}/${fileName ?? contractName}`;
    const file = { ...environment, listed, fileName: fileName ?? contractName, path };
    return fileName === undefined ? file : { ...file, loaded: await ports.ecosystems.load(path, { signal }) };
  } catch (error) {
    throw ecosystemFailure(error, ports, `${pm2Dir}/${contractName}`);
  }
}

/** The files that `svcm.yaml` names, each run in its folder and read as PM2 reads it with `--env`. */
async function readDeclared(
  ports: Ports,
  environment: Environment,
  { name, service }: NamedService,
  signal?: AbortSignal,
): Promise<EcosystemContent> {
  const folder = below(ports.workspace.root, service.folder);
  const sources = service.ecosystem[environment.name] ?? [];
  const [first, ...others] = sources;
  if (first === undefined)
    return { ...environment, listed: [], fileName: "svcm.yaml", path: `${ports.workspace.root}/svcm.yaml` };
  const path = below(folder, first.file);
  try {
    const load = (source: EcosystemSource): Promise<LoadedEcosystem> => loadSource(ports, folder, source, signal);
    const loaded = await Promise.all([load(first), ...others.map(load)]);
    const listed = await ports.ecosystems.list(folderOf(path));
    const base = { ...environment, listed, fileName: nameOf(path), path, ...(name !== "" && { service: name }) };
    return { ...base, loaded: together(loaded, service.apps) };
  } catch (error) {
    throw ecosystemFailure(error, ports, path);
  }
}

async function loadSource(
  ports: Ports,
  folder: string,
  { file, cwd, env }: EcosystemSource,
  signal: AbortSignal | undefined,
): Promise<LoadedEcosystem> {
  const path = below(folder, file);
  const loaded = await ports.ecosystems.load(path, { signal, cwd: below(folder, cwd ?? ".") });
  return { ...loaded, apps: loaded.apps.map((app) => ({ ...withBlock(app, env), start: { path, env } })) };
}

function withBlock(app: LoadedApp, env: string | undefined): LoadedApp {
  const name = `env_${env}`;
  const { [name]: block, ...fields } = app.fields;
  if (env === undefined || !isRecord(block)) return app;
  const declared = isRecord(fields["env"]) ? fields["env"] : {};
  return {
    ...app,
    fields: { ...fields, env: { ...declared, ...block } },
    keys: app.keys.filter((key) => key !== name),
    unset: app.unset.filter((key) => !Object.hasOwn(block, key)),
  };
}

/** Several files as one; of a file that holds apps of other services, only those of this one. */
function together(loaded: readonly [LoadedEcosystem, ...LoadedEcosystem[]], names: readonly string[] | undefined) {
  const apps = loaded.flatMap((one) => one.apps);
  const isOurs = ({ fields }: LoadedApp): boolean => names === undefined || names.includes(normaliseApp(fields).name);
  return {
    ...loaded[0],
    apps: apps.filter(isOurs),
    isDefaultExport: loaded.some((one) => one.isDefaultExport),
    files: loaded.flatMap((one) => one.files),
  };
}

function ecosystemFailure(error: unknown, ports: Ports, otherwise: string): unknown {
  if (!(error instanceof FileError)) return error;
  const path = error.path === ports.workspace.pm2Dir ? otherwise : error.path;
  const scrub = scrubOf(ports.ecosystems.withheld());
  return new SvcmError("ECOSYSTEM_FILE_FAILED", { code: error.code, path, details: scrub(error.message) });
}

/** Every secret that svcm knows, from its environment and the env files; a file that cannot be read is skipped. */
export async function knownSecrets(ports: Ports, contract: RuntimeContract): Promise<string[]> {
  const texts = await Promise.all(
    (await envPaths(ports, contract)).map((path) => ports.files.read(path).then(decodeUtf8, () => undefined)),
  );
  const held = texts.flatMap((text) => (text === undefined ? [] : [...valuesOf(parseEnvDocument(text))]));
  return [...ports.ecosystems.withheld(), ...secretsOf(contract, held)];
}

async function envPaths({ facts, workspace }: Ports, contract: RuntimeContract): Promise<string[]> {
  const project = await facts.project();
  if (!project) return Object.values(contract.environments).map(({ file }) => `${workspace.configDir}/${file}`);
  return Object.values(project.services).flatMap(({ folder, env }) =>
    Object.values(env).flatMap(({ layers }) => layers.map((layer) => below(below(workspace.root, folder), layer))),
  );
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
