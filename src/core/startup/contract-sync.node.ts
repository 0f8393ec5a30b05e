/** Synchronous. Only a file that differs from the packaged one needs the YAML parser. */
import { closeSync, fstatSync, openSync, readFileSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { locatedMessage, type Issue } from "../api/issue.ts";
import { packagedRuntimeContract, packagedRuntimeContractText } from "../project/facts/packaged.generated.ts";
import type * as ContractReading from "../project/facts/read.ts";
import type { Fact } from "../project/facts/read.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { DUPLICATE_KEYS_MESSAGE, PROJECT_FILE, projectContract, type Project } from "../project/project.ts";
import type * as ProjectReading from "../project/read.ts";
import { nearestFolder, repositoryRoot } from "../project/workspace.node.ts";

export type ContractLocation =
  | { readonly path: string }
  | { readonly env: Readonly<Record<string, string | undefined>>; readonly path?: never };

const FILE = "config/runtime-contract.yaml";
const MAX_BYTES = 2 ** 20;
const PACKAGED = { value: packagedRuntimeContract, issues: [] } as const;

export function readContractSync(location: ContractLocation): Fact<RuntimeContract> {
  try {
    if (location.path === undefined) return readProjectContract(findRoot(location.env));
    return readContractFile(resolve(location.path)) ?? unreadableFact(location.path, "ENOENT");
  } catch (error) {
    // The working directory may no longer exist.
    return unreadableFact(location.path ?? FILE, errorCode(error));
  }
}

function readProjectContract(root: string | undefined): Fact<RuntimeContract> {
  if (root === undefined) return PACKAGED;
  const own = readContractFile(join(root, FILE));
  const contract = own ?? PACKAGED;
  const project = contract.value && readProjectFile(join(root, PROJECT_FILE));
  if (contract.value === undefined || project === undefined) return contract;
  if (project.value === undefined) return project;
  if (project.value.keys !== undefined && own !== undefined)
    return { issues: [{ code: "FACT_KEYS_TWICE", severity: "error", path: [], message: DUPLICATE_KEYS_MESSAGE }] };
  return { value: projectContract(project.value, contract.value), issues: [] };
}

/** If no folder has a repository marker, as in a deployment, the nearest contract counts. */
function findRoot(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const cwd = process.cwd();
  return repositoryRoot({ env, cwd }) ?? nearestFolder(cwd, [FILE]);
}

function readContractFile(path: string): Fact<RuntimeContract> | undefined {
  return readFactFile(path, (text) => {
    if (text === packagedRuntimeContractText) return PACKAGED;
    const { readRuntimeContract } = requireModule(
      new URL("../project/facts/read.ts", import.meta.url),
    ) as typeof ContractReading;
    return readRuntimeContract(text, path);
  });
}

function readProjectFile(path: string): Fact<Project> | undefined {
  return readFactFile(path, (text) => {
    const { readProject } = requireModule(new URL("../project/read.ts", import.meta.url)) as typeof ProjectReading;
    return readProject(text, path);
  });
}

function readFactFile<T>(path: string, read: (text: string) => Fact<T>): Fact<T> | undefined {
  try {
    const text = readText(path);
    return text === undefined ? undefined : withLocations(read(text));
  } catch (error) {
    return unreadableFact(path, errorCode(error));
  }
}

/** @throws the system's error; EFBIG, ENOTREG */
function readText(path: string): string | undefined {
  let file: number;
  try {
    // Opening a FIFO must not block the start.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw Object.assign(new Error(), { code: stats.isDirectory() ? "EISDIR" : "ENOTREG" });
    if (stats.size > MAX_BYTES) throw Object.assign(new Error(), { code: "EFBIG" });
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function requireModule(url: URL): unknown {
  return createRequire(import.meta.url)(fileURLToPath(url));
}

function withLocations<T>(fact: Fact<T>): Fact<T> {
  if (fact.value !== undefined) return fact;
  return { issues: fact.issues.map((issue) => ({ ...issue, message: locatedMessage(issue) })) };
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function unreadableFact(path: string, code: string): { readonly issues: readonly Issue[] } {
  const message = `${path} cannot be read (${code}); accepted: a regular file of at most 1 MiB`;
  return { issues: [{ code: "FACT_INVALID", severity: "error", path: [], message }] };
}
