import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { SvcmError } from "../errors.ts";
import { chooseEcosystemFile, resolveEcosystemEnvironment } from "./environment.ts";
import { ecosystemFileNames } from "./file-name.ts";
import { scrubOf, secretsOf } from "./scrub.ts";
import type { EcosystemFile } from "./view.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { FileError, type Ports } from "../ports.ts";
import { decodeUtf8 } from "../words/utf8.ts";

/** An environment's ecosystem file, run once, with what was found beside it. Holds values: it never leaves the process. */
export interface EcosystemContent extends EcosystemFile {
  /** Names of everything in the PM2 folder. */
  readonly listed: readonly string[];
}

/**
 * Runs the ecosystem file of an environment. Where none stands, it is named as the contract names it, and not loaded.
 *
 * @throws {SvcmError} INVALID_ENVIRONMENT, ECOSYSTEM_FILE_FAILED
 */
export async function readEcosystem(
  ports: Ports,
  facts: { readonly contract: RuntimeContract; readonly matrix: CapabilityMatrix },
  asked: string | undefined,
  signal?: AbortSignal,
): Promise<EcosystemContent> {
  const { pm2Dir, nodeEnv } = ports.workspace;
  const environment = resolveEcosystemEnvironment(facts, asked, nodeEnv);
  const [contractName] = ecosystemFileNames(environment.name);
  try {
    const listed = await ports.ecosystems.list(pm2Dir);
    const fileName = chooseEcosystemFile(environment.name, listed);
    const file = {
      ...environment,
      listed,
      fileName: fileName ?? contractName,
      path: `${pm2Dir}/${fileName ?? contractName}`,
    };
    return fileName === undefined ? file : { ...file, loaded: await ports.ecosystems.load(file.path, signal) };
  } catch (error) {
    throw ecosystemFailure(error, ports, `${pm2Dir}/${contractName}`);
  }
}

/** What the specification calls a failed file operation; everything else passes through. */
function ecosystemFailure(error: unknown, ports: Ports, otherwise: string): unknown {
  if (!(error instanceof FileError)) return error;
  const path = error.path === ports.workspace.pm2Dir ? otherwise : error.path;
  const scrub = scrubOf(ports.ecosystems.withheld());
  return new SvcmError("ECOSYSTEM_FILE_FAILED", { code: error.code, path, details: scrub(error.message) });
}

/** Every secret that svcm can know: of its own environment, and of the env files. A file that cannot be read has none. */
export async function knownSecrets(ports: Ports, contract: RuntimeContract): Promise<string[]> {
  const files = Object.values(contract.environments).map(({ file }) => `${ports.workspace.configDir}/${file}`);
  const texts = await Promise.all(files.map((path) => ports.files.read(path).then(decodeUtf8, () => undefined)));
  const held = texts.flatMap((text) => (text === undefined ? [] : [...valuesOf(parseEnvDocument(text))]));
  return [...ports.ecosystems.withheld(), ...secretsOf(contract, held)];
}
