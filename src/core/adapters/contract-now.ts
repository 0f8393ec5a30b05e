/**
 * The runtime contract for a program that cannot wait: found and read synchronously. Only a file that differs from the
 * packaged source loads the YAML parser.
 */
import { closeSync, fstatSync, openSync, readFileSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { locationText, type Issue } from "../api/issue.ts";
import { packagedRuntimeContract, packagedRuntimeContractText } from "../facts/packaged.generated.ts";
import type * as Reading from "../facts/read.ts";
import type { Fact } from "../facts/read.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { nearestFolder, repositoryRoot } from "./workspace.ts";

export type ContractPlace =
  | { readonly path: string }
  | { readonly env: Readonly<Record<string, string | undefined>>; readonly path?: never };

const FILE = "config/runtime-contract.yaml";
const MOST_BYTES = 2 ** 20;
const PACKAGED = { value: packagedRuntimeContract, issues: [] } as const;

/** The contract of the repository, the packaged one, or every issue of an invalid one. */
export function readContractNow(place: ContractPlace): Fact<RuntimeContract> {
  try {
    const path = place.path === undefined ? findContract(place.env) : resolve(place.path);
    if (path === undefined) return PACKAGED;
    const text = readText(path);
    if (text === undefined) return place.path === undefined ? PACKAGED : unreadable(path, "ENOENT");
    return text === packagedRuntimeContractText ? PACKAGED : withPath(parser()(text, path));
  } catch (error) {
    return unreadable(place.path ?? FILE, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}

/** A deployment without a marker of a repository uses the nearest contract. */
function findContract(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const cwd = process.cwd();
  const root = repositoryRoot({ env, cwd }) ?? nearestFolder(cwd, [FILE]);
  return root === undefined ? undefined : join(root, FILE);
}

/** @throws the system's error; EFBIG over 1 MiB, ENOTREG if it is not a regular file */
function readText(path: string): string | undefined {
  let file: number;
  try {
    // A FIFO must not block the start.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw Object.assign(new Error(), { code: stats.isDirectory() ? "EISDIR" : "ENOTREG" });
    if (stats.size > MOST_BYTES) throw Object.assign(new Error(), { code: "EFBIG" });
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** A separate file of the build, because few programs need it. */
function parser(): typeof Reading.readRuntimeContract {
  const url = new URL("../facts/read.ts", import.meta.url);
  return (createRequire(import.meta.url)(fileURLToPath(url)) as typeof Reading).readRuntimeContract;
}

function withPath(fact: Fact<RuntimeContract>): Fact<RuntimeContract> {
  if (fact.value !== undefined) return fact;
  return { issues: fact.issues.map((one) => ({ ...one, message: `${placeOf(one)}${one.message}` })) };
}

function placeOf({ at }: Issue): string {
  return at ? `${locationText(at)}: ` : "";
}

function unreadable(path: string, code: string): Fact<RuntimeContract> {
  const message = `the runtime contract ${path} cannot be read (${code}); accepted: a regular file of at most 1 MiB`;
  return { issues: [{ code: "FACT_INVALID", severity: "error", path: [], message }] };
}
