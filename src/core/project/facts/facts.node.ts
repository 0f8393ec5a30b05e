import { applyFolderVariables, type FolderVariables } from "../folder-variables.ts";
import type { Facts, Workspace } from "../port-repository.ts";
import { FileError, type Files } from "../../files/ports.ts";
import { statSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, locatedMessage } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import {
  packagedCapabilityMatrix,
  packagedCapabilityMatrixText,
  packagedRuntimeContract,
  packagedRuntimeContractText,
} from "./packaged.generated.ts";
import { limitMatrix } from "./own-contract.ts";
import type { Fact } from "./read.ts";
import type { CapabilityMatrix, RuntimeContract } from "../../api/facts.ts";
import { DUPLICATE_KEYS_MESSAGE, PROJECT_FILE, projectContract, projectMatrix, type Project } from "../project.ts";
import { decodeUtf8, describeInvalidUtf8 } from "../../words/utf8.ts";
import { attempt, fileState, hasErrorCode } from "../../files/system.ts";
import { userCache, type UserCache } from "../../files/user-cache.ts";

/** Packaged data replaces a missing contract or matrix. */
export function nodeFacts(
  { root, folderVariables }: Pick<Workspace, "root" | "folderVariables">,
  files: Pick<Files, "read">,
  cache?: () => FactsCache | undefined,
): Facts {
  const source = { root, files, cache };
  const projectFile = new FactFile<Project | undefined>(source, PROJECT_FILE, { text: undefined, value: undefined });
  const contractFile = new FactFile(source, "config/runtime-contract.yaml", {
    text: packagedRuntimeContractText,
    value: packagedRuntimeContract,
  });
  const matrixFile = new FactFile({ root, files }, "config/capability-matrix.yaml", {
    text: packagedCapabilityMatrixText,
    value: packagedCapabilityMatrix,
  });
  const declaredContract = memoizeLast((project: Project, value: RuntimeContract) => projectContract(project, value));
  const matchingMatrix = memoizeLast(limitMatrix);
  const declaredMatrix = memoizeLast((project: Project, value: CapabilityMatrix) => projectMatrix(project, value));
  const moved = memoizeLast((project: Project, variables: FolderVariables) =>
    applyFolderVariables(project, root, variables),
  );
  const project = async (): Promise<Project | undefined> => {
    const read = await projectFile.load(async (text, file) => (await import("../read.ts")).readProject(text, file));
    return read && Object.keys(folderVariables).length > 0 ? moved(read, folderVariables) : read;
  };
  const runtimeContract = async (): Promise<RuntimeContract> => {
    const value = await contractFile.load(async (text, file) =>
      (await import("./read.ts")).readRuntimeContract(text, file),
    );
    const declared = await project();
    if (declared === undefined) return value;
    if (declared.keys !== undefined && contractFile.isPresent) throw keysTwice(root);
    return declaredContract(declared, value);
  };
  return {
    project,
    runtimeContract,
    async capabilityMatrix() {
      const contract = await runtimeContract();
      const value = await matrixFile.load(async (text, file) =>
        (await import("./read.ts")).readCapabilityMatrix(text, file, contract, packagedRuntimeContract),
      );
      const contractMatrix = matchingMatrix(contract, value);
      const declared = await project();
      return declared === undefined ? contractMatrix : declaredMatrix(declared, contractMatrix);
    },
  };
}

function keysTwice(root: string): SvcmError {
  return new SvcmError("FACT_INVALID", {
    code: "FACT_KEYS_TWICE",
    path: join(root, PROJECT_FILE),
    details: DUPLICATE_KEYS_MESSAGE,
    hint: "Remove keys from svcm.yaml, or move the entries of config/runtime-contract.yaml there and delete that file.",
  });
}

function memoizeLast<A, B, R>(decide: (a: A, b: B) => R): (a: A, b: B) => R {
  let last: { readonly a: A; readonly b: B; readonly answer: R } | undefined;
  return (a, b) => {
    if (last?.a !== a || last.b !== b) last = { a, b, answer: decide(a, b) };
    return last.answer;
  };
}

/** A contract with several hundred keys is 20 times smaller. */
const MAX_FACT_BYTES = 2 ** 20;

interface FactSource {
  readonly root: string;
  readonly files: Pick<Files, "read">;
  readonly cache?: (() => FactsCache | undefined) | undefined;
}

class FactFile<T> {
  readonly #name: string;
  readonly #path: string;
  readonly #packaged: { readonly text: string | undefined; readonly value: T };
  readonly #source: FactSource;
  #last: { readonly stamp: string; readonly loading: Promise<T> } | undefined;

  constructor(source: FactSource, name: string, packaged: { readonly text: string | undefined; readonly value: T }) {
    this.#source = source;
    this.#name = name;
    this.#path = join(source.root, name);
    this.#packaged = packaged;
  }

  async load(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const stamp = await this.#attempt(() => this.#stamp());
    if (stamp === undefined) return this.#packaged.value;
    if (this.#last?.stamp === stamp) return await this.#last.loading;
    const loading = this.#read(read);
    const last = { stamp, loading };
    this.#last = last;
    loading.catch(() => this.#last === last && (this.#last = undefined));
    return await loading;
  }

  get isPresent(): boolean {
    return this.#stamp() !== undefined;
  }

  #stamp(): string | undefined {
    try {
      // Most repositories do not have these files, and throwing costs more than the call.
      const state = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
      return state && fileState(state);
    } catch (error) {
      if (hasErrorCode(error, "ENOTDIR")) return undefined;
      throw error;
    }
  }

  async #read(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const bytes = await this.#attempt(() => this.#source.files.read(this.#path, { maxBytes: MAX_FACT_BYTES }));
    const text = decodeUtf8(bytes);
    if (text === undefined) throw this.#refusal("FACT_INVALID", describeInvalidUtf8(bytes));
    if (text === this.#packaged.text) return this.#packaged.value;
    const key = `${this.#name}\n${text}`;
    const cache = this.#source.cache?.();
    const cached = cache?.read(key) as T | undefined;
    if (cached !== undefined) return cached;
    const value = this.#valid(await read(text, this.#name), text);
    cache?.store(key, value);
    return value;
  }

  async #attempt<R>(step: () => R): Promise<Awaited<R>> {
    try {
      return await attempt("read", this.#path, step);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw this.#refusal(error.code, error.message);
    }
  }

  #refusal(code: ErrorCode, details: string): SvcmError {
    return new SvcmError("FACT_INVALID", { code, path: this.#path, details });
  }

  #valid(fact: Fact<T>, source: string): T {
    if (fact.value !== undefined) return fact.value;
    throw new SvcmError("FACT_INVALID", {
      path: this.#path,
      details: fact.issues.map(locatedMessage).join("; "),
      issues: fact.issues,
      source,
    });
  }
}

export interface FactsCache {
  read(text: string): unknown;
  store(text: string, value: unknown): void;
}

const MAX_FILES = 64;

export function factsCache(env: Readonly<Record<string, string | undefined>>): FactsCache | undefined {
  const cache = openCache(env);
  return (
    cache && {
      read: (text) => parseEntry(text, cache.read(entryName(text))?.toString()),
      store: (text, value) => cache.store(() => [[entryName(text), Buffer.from(JSON.stringify([text, value]))]]),
    }
  );
}

function parseEntry(text: string, entry: string | undefined): unknown {
  try {
    const [key, value] = JSON.parse(entry ?? "[]") as [string, unknown];
    return key === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Another build may accept different texts; from source there is no build identity. */
function openCache(env: Readonly<Record<string, string | undefined>>): UserCache | undefined {
  try {
    const build = readFileSync(`${import.meta.dirname}/../build-id`, "latin1").trim();
    return userCache(`${build}-facts`, env);
  } catch {
    return undefined;
  }
}

/** Loading `node:crypto` takes longer than a short command. The text itself is compared, so a weak hash is enough. */
function entryName(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${(hash >>> 0) % MAX_FILES}.json`;
}
