import { SvcmError } from "../errors.ts";
import { resolveEnvironment, type Environment } from "./environment.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { FileError, type Ports } from "../ports.ts";
import { decodeUtf8, describeNotUtf8 } from "../words/utf8.ts";

/** What can be read, checked and written in a second. */
const MAX_ENV_BYTES = 2 ** 20;

/** @throws {FileError} EFBIG for the content of an env file that no reader of ours would take. */
export function requireEnvSize(bytes: Uint8Array, path: string): void {
  if (bytes.length <= MAX_ENV_BYTES) return;
  throw new FileError("EFBIG", path, `Cannot write ${path}: it is larger than ${MAX_ENV_BYTES} bytes.`);
}

/** An environment of this workspace with the file that holds it. */
export interface EnvFile extends Environment {
  readonly path: string;
}

export interface EnvContent extends EnvFile {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** @throws {SvcmError} INVALID_ENVIRONMENT */
export function locateEnvFile(ports: Ports, contract: RuntimeContract, asked: string | undefined): EnvFile {
  const environment = resolveEnvironment(contract, asked, ports.workspace.nodeEnv);
  return { ...environment, path: `${ports.workspace.configDir}/${environment.fileName}` };
}

/** @throws {SvcmError} INVALID_ENVIRONMENT, ENV_FILE_FAILED */
export async function readEnvFile(
  ports: Ports,
  contract: RuntimeContract,
  asked: string | undefined,
): Promise<EnvContent> {
  const file = locateEnvFile(ports, contract, asked);
  try {
    const bytes = await ports.files.read(file.path, { maxBytes: MAX_ENV_BYTES });
    return { ...file, bytes, text: decodeEnv(bytes, file.path) };
  } catch (error) {
    throw envFileFailure(error, file.path);
  }
}

/** The text of an env file, byte order mark included. @throws {SvcmError} where the bytes are not UTF-8. */
export function decodeEnv(bytes: Uint8Array, path: string): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new SvcmError("ENV_FILE_FAILED", { code: "ENV_FILE_NOT_UTF8", path, details: describeNotUtf8(bytes) });
}

/** What the specification calls a failed file operation; everything else passes through. */
export function envFileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  const code = error.code === "ENOENT" ? "ENV_FILE_NOT_FOUND" : error.code;
  return new SvcmError("ENV_FILE_FAILED", { code, path, details: error.message });
}
