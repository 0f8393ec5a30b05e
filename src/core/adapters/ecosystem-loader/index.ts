import { readdir, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import type { EcosystemLoader } from "../../ports/index.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import { once, oneAtATime } from "../../words/once.ts";
import { attempting, refuse } from "../files/file-error.ts";
import { isRefusal } from "../files/system.ts";
import type { Place } from "./outcome.ts";
import { failure, runProgram } from "./run-program.ts";
import { hasCredentials } from "../../secrets/redact.ts";
import { isSecretName } from "../../secrets/secret-name.ts";

export interface EcosystemLoaderOptions {
  /** PM2 resolves relative paths from its caller's directory. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function ecosystemLoader({ root, env }: EcosystemLoaderOptions): EcosystemLoader {
  const cleaned = once(() => cleanEnvironment(env));
  const load = async (key: string): Promise<LoadedEcosystem> => {
    const [path = "", cwd = ""] = key.split("\0");
    await requireRegular(path);
    const line = await runProgram(path, { cwd, env: cleaned().env });
    const { readOutcome } = await import("./read-outcome.ts");
    const outcome = readOutcome(line);
    if (outcome === undefined)
      throw failure("ECOSYSTEM_EXPORT_INVALID", path, "it wrote other data where svcm expected its result");
    if (!outcome.ok) throw failure(outcome.code, path, outcome.reason, outcome.at && placeText(outcome.at));
    const { apps, found, isDefaultExport, files, absent } = outcome;
    const withheld = absent.filter((name) => cleaned().withheldNames.has(name));
    return { path, apps, found, isDefaultExport, files, withheld };
  };
  const shared = oneAtATime(load);
  return {
    async list(folder) {
      try {
        return await attempting("read", folder, () => readdir(folder));
      } catch (error) {
        if (isRefusal(error, "ENOENT", "ENOTDIR")) return [];
        throw error;
      }
    },
    load: (path, cwd = root) => shared(`${path}\0${cwd}`),
    withheldValues: () => cleaned().withheld,
  };
}

/** Reading a FIFO would block forever. */
async function requireRegular(path: string): Promise<void> {
  const stats = await attempting("open", path, () => stat(path));
  if (stats.isDirectory()) throw refuse("EISDIR", "read", path);
  if (!stats.isFile()) throw refuse("ENOTREG", "read", path);
}

function placeText({ file, line, column }: Place): string {
  return `${file}:${line}${column === undefined ? "" : `:${column}`}`;
}

interface CleanEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly withheld: readonly string[];
  readonly withheldNames: ReadonlySet<string>;
}

const OURS = /^(?:NODE_(?!ENV$|PATH$|EXTRA_CA_CERTS$)|SVC_SERVICE_MANAGEMENT_|PM2_PROGRAMMATIC$|VITEST|SVCM_)/;

/** Shorter secrets may occur inside ordinary words. */
const SHORTEST_SECRET = 6;

function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): CleanEnvironment {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secret = set.filter(isSecret).map(([, value]) => value);
  const withheld = secret.filter((value) => value.length >= SHORTEST_SECRET && !isPath(value));
  const isWithheld = ([name, value]: [string, string]): boolean =>
    isSecret([name, value]) || withheld.some((text) => value.includes(text));
  const withheldNames = new Set(set.filter(isWithheld).map(([name]) => name));
  const kept = set.filter(([name]) => !OURS.test(name) && !withheldNames.has(name));
  return { env: Object.fromEntries(kept), withheld, withheldNames };
}

/** A list of folders that contains an `@` looks like a URL with a user. */
function isSecret([name, value]: [string, string]): boolean {
  return isSecretName(name) || (!name.endsWith("PATH") && hasCredentials(value));
}

/** Paths are not secrets, and masking them would hide half of every other path. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}
