import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { FileError, type HasFiles } from "../files/ports.ts";
import { SvcmError } from "../api/errors.ts";
import { decodeUtf8, describeInvalidUtf8 } from "../words/utf8.ts";
import type { CapabilityMatrix, RuntimeContract } from "../api/facts.ts";

export const DEPLOYMENTS_FILE = "deployments.yaml";

/** @throws {SvcmError} FACT_INVALID */
export async function vocabularyOf({ facts }: HasFacts): Promise<Vocabulary> {
  return { contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() };
}

/** Relative to the root. @throws {SvcmError} INVALID_REQUEST if the name is empty */
export function documentPath({ workspace }: HasWorkspace, file: string): string {
  if (file === "")
    throw new SvcmError("INVALID_REQUEST", { details: "--file is empty. Name a file, for example deployments.yaml." });
  return file.startsWith("/") ? file : `${workspace.root}/${file}`;
}

/** The document may be outside the repository. @throws {SvcmError} SUITE_FILE_FAILED */
export async function readDocument(ports: HasFiles & HasWorkspace, file: string): Promise<string> {
  const path = documentPath(ports, file);
  try {
    return documentText(await ports.files.read(path, { mayBeOutside: true }), path);
  } catch (error) {
    throw documentFailure(error, path);
  }
}

export async function readDocumentIfExists(ports: HasFiles & HasWorkspace, file: string): Promise<string | undefined> {
  return await readDocument(ports, file).catch((error: unknown) => {
    if (error instanceof SvcmError && error.body.code === "SUITE_FILE_NOT_FOUND") return undefined;
    throw error;
  });
}

/** @throws {SvcmError} SUITE_FILE_FAILED if the bytes are not UTF-8 */
export function documentText(bytes: Uint8Array, path: string): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_NOT_UTF8",
    path,
    details: describeInvalidUtf8(bytes),
  });
}

/** Errors that are not of a file pass through. */
export function documentFailure(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  const code = error.code === "ENOENT" ? "SUITE_FILE_NOT_FOUND" : error.code;
  const hint = code === "ENOTREG" ? "svcm validate --file - reads a document from standard input." : undefined;
  return new SvcmError("SUITE_FILE_FAILED", { code, path, details: error.message, hint });
}

export type Candidate = Readonly<Record<string, unknown>>;

export function textField(candidate: Candidate, field: string): string {
  const value = candidate[field];
  return typeof value === "string" ? value.trim() : "";
}

/** Upper case first, because letters such as the two small sigmas share one capital. */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase();
}

export interface Vocabulary {
  readonly contract: RuntimeContract;
  readonly matrix: CapabilityMatrix;
}

export type ValueSource = readonly string[] | { readonly key: string } | undefined;

export function acceptedBy({ contract }: Vocabulary, fact: ValueSource): readonly string[] {
  if (fact === undefined) return [];
  if (!("key" in fact)) return fact;
  const spec = contract.keys[fact.key];
  return spec?.kind === "enum" ? spec.values : [];
}

export function defaultOf(vocabulary: Vocabulary, fact: ValueSource): string | undefined {
  const spec = fact && "key" in fact ? vocabulary.contract.keys[fact.key] : undefined;
  return spec?.kind === "enum" ? spec.default : acceptedBy(vocabulary, fact)[0];
}

export function frameworksOf(vocabulary: Vocabulary): string[] {
  const types = Object.values(vocabulary.matrix.interfaceTypes);
  return [...new Set(types.flatMap(({ frameworks }) => acceptedBy(vocabulary, frameworks)))];
}

/** User input may name an inherited member. */
export function lookup<T>(record: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === "string" && Object.hasOwn(record, name) ? record[name] : undefined;
}

export function targetGroup(
  { matrix }: Vocabulary,
  deployTarget: unknown,
): CapabilityMatrix["deployTargetGroups"][string] | undefined {
  const target = lookup(matrix.deployTargets, deployTarget);
  return target && matrix.deployTargetGroups[target.group];
}

type Group = CapabilityMatrix["deployTargetGroups"][string];

export function targetGroups({ matrix }: Vocabulary): (Group & { readonly targets: readonly string[] })[] {
  return Object.entries(matrix.deployTargetGroups)
    .map(([name, group]) => {
      const targets = Object.keys(matrix.deployTargets).filter(
        (target) => matrix.deployTargets[target]?.group === name,
      );
      return { ...group, targets };
    })
    .filter(({ targets }) => targets.length > 0);
}

export function portNames({ serviceKinds }: CapabilityMatrix): string[] {
  return [...new Set(Object.values(serviceKinds).flatMap(({ ports }) => ports))];
}
