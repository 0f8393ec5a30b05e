import { statSync, type BigIntStats } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locationText, type Issue } from "../contract/issue.ts";
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
import type { Facts } from "../ports.ts";

/**
 * The facts of a repository: `config/runtime-contract.yaml` and `config/capability-matrix.yaml` under
 * its root, each the packaged one where the file is absent. An edited file holds from the next call
 * on; one that did not change is not read again, and the YAML parser is loaded only for a file that
 * differs from the packaged source.
 */
export function nodeFacts(root: string): Facts {
  const contract = new FactFile<RuntimeContract>(root, "config/runtime-contract.yaml", {
    text: packagedRuntimeContractText,
    value: packagedRuntimeContract,
  });
  const matrix = new FactFile<CapabilityMatrix>(root, "config/capability-matrix.yaml", {
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
  readonly #packaged: { readonly text: string; readonly value: T };
  #seen: { readonly stamp: string; readonly value: T } | undefined;

  constructor(root: string, name: string, packaged: { readonly text: string; readonly value: T }) {
    this.#name = name;
    this.#path = join(root, name);
    this.#packaged = packaged;
  }

  async load(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const stats = this.#stat();
    if (!stats) return this.#packaged.value;
    const stamp = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
    if (this.#seen?.stamp === stamp) return this.#seen.value;
    const text = await this.#attempt(() => readFile(this.#path, "utf8"));
    const value = text === this.#packaged.text ? this.#packaged.value : this.#valid(await read(text, this.#name));
    this.#seen = { stamp, value };
    return value;
  }

  #stat(): BigIntStats | undefined {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false });
  }

  async #attempt(read: () => Promise<string>): Promise<string> {
    try {
      return await read();
    } catch (error) {
      const { code = "EUNKNOWN" } = error as NodeJS.ErrnoException;
      throw new SvcmError("FACT_INVALID", {
        code,
        path: this.#path,
        details: `${this.#name} cannot be read (${code}).`,
      });
    }
  }

  #valid(fact: Fact<T>): T {
    if (fact.value !== undefined) return fact.value;
    throw new SvcmError("FACT_INVALID", {
      code: "FACT_INVALID",
      path: this.#path,
      details: fact.issues.map(describe).join("; "),
      issues: fact.issues,
    });
  }
}

function describe({ at, message }: Issue): string {
  return at ? `${locationText(at)}: ${message}` : message;
}
