import { ownMember } from "../words/record.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { FileError, type HasFiles } from "../files/ports.ts";
import { SvcmError } from "../api/errors.ts";
import type { EnvReadResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../api/facts.ts";

import { PROJECT_FILE } from "../project/project.ts";
import {
  resolvePath,
  chooseService,
  type Environment,
  envSpellings,
  type NamedService,
  type EnvironmentRequest,
  resolveEnvironment,
} from "../project/resolve.ts";
import { baseName } from "../words/text.ts";
import { decodeUtf8, describeInvalidUtf8 } from "../words/utf8.ts";
import { isEncrypted, parseEnvDocument, valuesOf } from "./document.ts";
import { defaultOf, editableKeys, maskValue, specOf, visibleKeys } from "./runtime-keys.ts";

/** svcm reads, checks and writes a file of this size within a second. */
const MAX_ENV_BYTES = 2 ** 20;

export interface EnvFile extends Environment {
  readonly fileName: string;
  readonly path: string;
  readonly declaredPath?: string;
  readonly service?: string;
  readonly lowerPaths: readonly string[];
}

export interface EnvContent extends EnvFile {
  /** The bytes of every layer, in order, for the entity tag. */
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly layers: readonly EnvLayer[];
}

export interface EnvLayer {
  readonly fileName: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
}

export function requireEnvSize(bytes: Uint8Array, path: string): void {
  if (bytes.length <= MAX_ENV_BYTES) return;
  throw new FileError("EFBIG", path, `Cannot write ${path}: it is larger than ${MAX_ENV_BYTES} bytes.`);
}

/** @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST for the service, ENV_FILE_FAILED if no file is declared */
export async function locateEnvFile(
  ports: HasFacts & HasWorkspace,
  contract: RuntimeContract,
  request: EnvironmentRequest,
): Promise<EnvFile> {
  const { nodeEnv, configDir, root } = ports.workspace;
  const environment = resolveEnvironment(envSpellings(contract), contract, request.environment, nodeEnv);
  const project = await ports.facts.project();
  const selected = chooseService(project, request.service);
  const fileName = ownMember(contract.environments, environment.name)?.file ?? "";
  if (!selected) return { ...environment, fileName, path: `${configDir}/${fileName}`, lowerPaths: [] };
  const { layers, encrypted } = ownMember(selected.service.env, environment.name) ?? {
    layers: [],
    encrypted: undefined,
  };
  const folder = resolvePath(root, selected.service.folder);
  const paths = layers.map((layer) => resolvePath(folder, layer));
  const path = paths.at(-1);
  if (path === undefined) throw undeclaredFile(environment.name, selected, `${root}/${PROJECT_FILE}`);
  if (encrypted) throw encryptedFile(layers.at(-1) ?? "", path);
  const service = selected.name === "" ? {} : { service: selected.name };
  const lowerPaths = paths.slice(0, -1);
  return { ...environment, ...service, fileName: baseName(path), path, declaredPath: path, lowerPaths };
}

/** Every layer that exists. @throws {SvcmError} as {@link locateEnvFile}, ENV_FILE_FAILED */
export async function readEnvFile(
  ports: HasFacts & HasFiles & HasWorkspace,
  contract: RuntimeContract,
  request: EnvironmentRequest,
): Promise<EnvContent> {
  const file = await locateEnvFile(ports, contract, request);
  const layers = await readLayers(ports, file);
  const text = layers.find(({ path }) => path === file.path)?.text ?? "";
  return { ...file, bytes: Buffer.concat(layers.map(({ bytes }) => bytes)), text, layers };
}

/** @param file relative to the root @throws {SvcmError} ENV_FILE_FAILED */
export async function readNamedEnvFile(ports: HasFiles & HasWorkspace, file: string): Promise<EnvLayer> {
  const path = resolvePath(ports.workspace.root, file);
  return { ...(await readLayer(ports, path)), fileName: file };
}

async function readLayers(ports: HasFiles, file: EnvFile): Promise<EnvLayer[]> {
  const paths = [...file.lowerPaths, file.path];
  const layers = await readExistingLayers(ports, paths, file.lowerPaths.length > 0);
  if (layers.length > 0) return layers;
  const message = `None of these files exists: ${paths.join(", ")}.`;
  throw envFileFailure(new FileError("ENOENT", file.path, message), file.path);
}

export async function readLowerLayers(ports: HasFiles, { lowerPaths }: EnvFile): Promise<EnvLayer[]> {
  return readExistingLayers(ports, lowerPaths, true);
}

async function readExistingLayers(ports: HasFiles, paths: readonly string[], isOptional: boolean): Promise<EnvLayer[]> {
  const read = isOptional ? readLayerIfThere : readLayer;
  const layers = await Promise.all(paths.map((path) => read(ports, path)));
  return layers.filter((layer) => layer !== undefined);
}

async function readLayerIfThere(ports: HasFiles, path: string): Promise<EnvLayer | undefined> {
  try {
    return await readLayer(ports, path);
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "ENV_FILE_NOT_FOUND") return undefined;
    throw error;
  }
}

async function readLayer(ports: HasFiles, path: string): Promise<EnvLayer> {
  try {
    const bytes = await ports.files.read(path, { maxBytes: MAX_ENV_BYTES });
    const text = decodeEnv(bytes, path);
    return { fileName: baseName(path), path, bytes, text };
  } catch (error) {
    throw envFileFailure(error, path);
  }
}

export function effectiveValues(layers: readonly Pick<EnvLayer, "text">[]): Map<string, string> {
  return new Map(layers.flatMap(({ text }) => [...valuesOf(parseEnvDocument(text))]));
}

/** A missing or empty editable key shows its default; a read-only key does not. Credentials in URLs are masked. */
export function toReadResponse(
  contract: RuntimeContract,
  file: { readonly environment: string; readonly fileName: string; readonly declaredPath?: string },
  values: ReadonlyMap<string, string>,
): EnvReadResponse {
  const visible = visibleKeys(contract).map((key) => {
    const value = values.get(key) || defaultOf(contract, key);
    return [key, maskValue(specOf(contract, key), value)];
  });
  return {
    environment: file.environment,
    fileName: file.fileName,
    ...(file.declaredPath !== undefined && { path: file.declaredPath }),
    editableKeys: editableKeys(contract),
    values: Object.fromEntries(visible),
  };
}

/** With the byte order mark. @throws {SvcmError} ENV_FILE_FAILED if it is not UTF-8 or is encrypted */
export function decodeEnv(bytes: Uint8Array, path: string): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined && isEncrypted(text)) throw encryptedFile(baseName(path), path);
  if (text !== undefined) return text;
  throw new SvcmError("ENV_FILE_FAILED", { code: "ENV_FILE_NOT_UTF8", path, details: describeInvalidUtf8(bytes) });
}

export function envFileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  const code = error.code === "ENOENT" ? "ENV_FILE_NOT_FOUND" : error.code;
  return new SvcmError("ENV_FILE_FAILED", { code, path, details: error.message });
}

function undeclaredFile(environment: string, { name, service }: NamedService, path: string): SvcmError {
  const owner = name === "" ? "" : ` of the service ${name}`;
  const others = Object.keys(service.env);
  const present = others.length === 0 ? "" : ` These environments have one: ${others.join(", ")}.`;
  return new SvcmError("ENV_FILE_FAILED", {
    code: "ENV_FILE_NOT_DECLARED",
    path,
    details: `svcm.yaml does not declare an env file for the environment ${environment}${owner}.${present}`,
    hint: `Add it below env, for example: env: { ${environment}: .env.${environment} }`,
  });
}

function encryptedFile(fileName: string, path: string): SvcmError {
  return new SvcmError("ENV_FILE_FAILED", {
    code: "ENV_FILE_ENCRYPTED",
    path,
    details: `${fileName} is encrypted with dotenvx. svcm does not read or write encrypted files.`,
    hint: `Read it with: dotenvx get -f ${fileName}. Change it with: dotenvx set KEY value -f ${fileName}`,
  });
}
