import { SvcmError } from "../errors.ts";
import { FileError, type Ports } from "../ports.ts";
import type { Vocabulary } from "../suite/vocabulary.ts";
import { decodeUtf8, describeNotUtf8, isUtf16 } from "./utf8.ts";

export const DEFAULT_SUITE_FILE = "deployments.yaml";

/** The facts that a suite document is held to. */
export async function vocabularyOf({ facts }: Ports): Promise<Vocabulary> {
  return { contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() };
}

/** The absolute path of a suite document that was asked for relative to the repository root. */
export function suitePath({ workspace }: Ports, file: string): string {
  return file.startsWith("/") ? file : `${workspace.root}/${file}`;
}

/** @throws {SvcmError} SUITE_FILE_FAILED with the path and the system's code. */
export async function readSuite(ports: Ports, file: string): Promise<string> {
  const path = suitePath(ports, file);
  const bytes = await ports.files.read(path).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    const code = error.code === "ENOENT" ? "SUITE_FILE_NOT_FOUND" : error.code;
    throw new SvcmError("SUITE_FILE_FAILED", { code, path, details: error.message });
  });
  return suiteText(bytes, path);
}

/** @throws {SvcmError} SUITE_FILE_FAILED where the bytes are not UTF-8. */
export function suiteText(bytes: Uint8Array, path: string): string {
  const text = isUtf16(bytes) ? undefined : decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_NOT_UTF8",
    path,
    details: describeNotUtf8(bytes),
  });
}
