import { join } from "node:path";
import { SvcmError } from "../errors.ts";
import {
  packagedCapabilityMatrix,
  packagedCapabilityMatrixText,
  packagedRuntimeContract,
  packagedRuntimeContractText,
} from "../facts/packaged.generated.ts";
import { isOwnContract, matrixFor } from "../facts/own.ts";
import { KEYS_TWICE, PROJECT_FILE, projectContract, projectMatrix, type Project } from "../project/project.ts";
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import type { Facts, Files } from "../ports/index.ts";
import { FactFile, type KeptFacts } from "./fact-file.ts";

/**
 * Reads `svcm.yaml`, `config/runtime-contract.yaml` and `config/capability-matrix.yaml`. Packaged data replaces a
 * missing contract or matrix. A file is read again only after it changed. The YAML parser is loaded only if a file
 * differs from the packaged one and is not in the cache.
 */
export function nodeFacts(root: string, files: Pick<Files, "read">, kept?: () => KeptFacts | undefined): Facts {
  const place = { root, files, kept };
  const declared = new FactFile<Project | undefined>(place, PROJECT_FILE, { text: undefined, value: undefined });
  const contract = new FactFile(place, "config/runtime-contract.yaml", {
    text: packagedRuntimeContractText,
    value: packagedRuntimeContract,
  });
  const matrix = new FactFile({ root, files }, "config/capability-matrix.yaml", {
    text: packagedCapabilityMatrixText,
    value: packagedCapabilityMatrix,
  });
  const contractOf = lastAnswer((project: Project, value: RuntimeContract) => projectContract(project, value));
  const besideOf = lastAnswer(matrixFor);
  const matrixOf = lastAnswer((project: Project, value: CapabilityMatrix) => projectMatrix(project, value));
  const project = (): Promise<Project | undefined> =>
    declared.load(async (text, file) => (await import("../project/read.ts")).readProject(text, file));
  const runtimeContract = async (): Promise<RuntimeContract> => {
    const value = await contract.load(async (text, file) =>
      (await import("../facts/read.ts")).readRuntimeContract(text, file),
    );
    const own = await project();
    if (own === undefined) return value;
    if (own.keys !== undefined && isOwnContract(value)) throw keysTwice(root);
    return contractOf(own, value);
  };
  return {
    project,
    runtimeContract,
    async capabilityMatrix() {
      const own = await runtimeContract();
      const value = await matrix.load(async (text, file) =>
        (await import("../facts/read.ts")).readCapabilityMatrix(text, file, own, packagedRuntimeContract),
      );
      const beside = besideOf(own, value);
      const declares = await project();
      return declares === undefined ? beside : matrixOf(declares, beside);
    },
  };
}

function keysTwice(root: string): SvcmError {
  return new SvcmError("FACT_INVALID", {
    code: "FACT_KEYS_TWICE",
    path: join(root, PROJECT_FILE),
    details: KEYS_TWICE,
    hint: "Remove keys from svcm.yaml, or move the entries of config/runtime-contract.yaml there and delete that file.",
  });
}

function lastAnswer<A, B, R>(decide: (a: A, b: B) => R): (a: A, b: B) => R {
  let last: { readonly a: A; readonly b: B; readonly answer: R } | undefined;
  return (a, b) => {
    if (last?.a !== a || last.b !== b) last = { a, b, answer: decide(a, b) };
    return last.answer;
  };
}
