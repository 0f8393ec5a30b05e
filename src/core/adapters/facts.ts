import { statSync } from "node:fs";
import { join } from "node:path";
import { locationText, type Issue } from "../api/issue.ts";
import { SvcmError } from "../errors.ts";
import {
  packagedCapabilityMatrix,
  packagedCapabilityMatrixText,
  packagedRuntimeContract,
  packagedRuntimeContractText,
} from "../facts/packaged.generated.ts";
import { matrixFor } from "../facts/own.ts";
import type { Fact } from "../facts/read.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import { decodeUtf8, describeNotUtf8 } from "../words/utf8.ts";
import { FileError, type Facts, type Files } from "../ports.ts";
import { attempting } from "./files/file-error.ts";
import { fileState } from "./files/state.ts";
import { isRefusal } from "./files/system.ts";

/** A contract of several hundred keys has a twentieth of that. */
const MAX_FACT_BYTES = 2 ** 20;

/**
 * The facts of a repository: `config/runtime-contract.yaml` and `config/capability-matrix.yaml` under
 * its root, each the packaged one if the file is absent. An edited file holds from the next call
 * on; one that did not change is not read again, however many callers wait for it, and the YAML parser is loaded
 * only for a file that differs from the packaged source.
 */
export function nodeFacts(root: string, files: Pick<Files, "read">): Facts {
  const contract = new FactFile<RuntimeContract>(root, files, "config/runtime-contract.yaml", {
    text: packagedRuntimeContractText,
    value: packagedRuntimeContract,
  });
  const matrix = new FactFile<CapabilityMatrix>(root, files, "config/capability-matrix.yaml", {
    text: packagedCapabilityMatrixText,
    value: packagedCapabilityMatrix,
  });
  const runtimeContract = (): Promise<RuntimeContract> =>
    contract.load(async (text, file) => (await import("../facts/read.ts")).readRuntimeContract(text, file));
  return {
    runtimeContract,
    async capabilityMatrix() {
      const own = await runtimeContract();
      const value = await matrix.load(async (text, file) =>
        (await import("../facts/read.ts")).readCapabilityMatrix(text, file, own),
      );
      return value === packagedCapabilityMatrix ? matrixFor(own) : value;
    },
  };
}

class FactFile<T> {
  readonly #name: string;
  readonly #path: string;
  readonly #files: Pick<Files, "read">;
  readonly #packaged: { readonly text: string; readonly value: T };
  #last: { readonly stamp: string; readonly loading: Promise<T> } | undefined;

  constructor(
    root: string,
    files: Pick<Files, "read">,
    name: string,
    packaged: { readonly text: string; readonly value: T },
  ) {
    this.#name = name;
    this.#path = join(root, name);
    this.#files = files;
    this.#packaged = packaged;
  }

  async load(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const stamp = await this.#attempt(() => this.#stamp());
    if (stamp === undefined) return this.#packaged.value;
    if (this.#last?.stamp === stamp) return await this.#last.loading;
    const loading = this.#read(read);
    const last = { stamp, loading };
    this.#last = last;
    // A refusal of the moment may be over when the next caller comes.
    loading.catch(() => this.#last === last && (this.#last = undefined));
    return await loading;
  }

  /** What the file is now, `undefined` if there is none. */
  #stamp(): string | undefined {
    try {
      return fileState(statSync(this.#path, { bigint: true }));
    } catch (error) {
      if (isRefusal(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    }
  }

  async #read(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const bytes = await this.#attempt(() => this.#files.read(this.#path, { maxBytes: MAX_FACT_BYTES }));
    const text = decodeUtf8(bytes);
    if (text === undefined) throw this.#refusal("FACT_INVALID", describeNotUtf8(bytes));
    return text === this.#packaged.text ? this.#packaged.value : this.#valid(await read(text, this.#name), text);
  }

  async #attempt<R>(step: () => R): Promise<Awaited<R>> {
    try {
      return await attempting("read", this.#path, step);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw this.#refusal(error.code, error.message);
    }
  }

  #refusal(code: string, details: string): SvcmError {
    return new SvcmError("FACT_INVALID", { code, path: this.#path, details });
  }

  #valid(fact: Fact<T>, source: string): T {
    if (fact.value !== undefined) return fact.value;
    throw new SvcmError("FACT_INVALID", {
      code: "FACT_INVALID",
      path: this.#path,
      details: fact.issues.map(describe).join("; "),
      issues: fact.issues,
      source,
    });
  }
}

function describe({ at, message }: Issue): string {
  return at ? `${locationText(at)}: ${message}` : message;
}
