import type { EcosystemLoader, LoadPurpose } from "../port-ecosystems.ts";
import { readdir, realpath, stat } from "node:fs/promises";
import { existsSync } from "node:fs";

import type { LoadedEcosystem } from "../loaded.ts";
import { once, oneAtATime } from "../../words/once.ts";
import { attempt, fileError, hasErrorCode } from "../../files/system.ts";
import type { FileLocation } from "./outcome.ts";
import { findPm2 } from "../daemon/find-pm2.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { loadError, runProgram } from "./run-program.ts";
import { hasCredentials, isSecretName } from "../../secrets/redact.ts";

export interface EcosystemLoaderOptions {
  /** PM2 resolves relative paths from its caller's directory. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function ecosystemLoader({ root, env }: EcosystemLoaderOptions): EcosystemLoader {
  const cleaned = once(() => cleanEnvironment(env));
  const load = async (key: string): Promise<LoadedEcosystem> => {
    const [path = "", cwd = "", purpose = "read"] = key.split("\0");
    await requireRegularFile(path);
    const { code } = await findPm2({ root, home: pm2Home(env, root).folder, path: env["PATH"] });
    const given = { cwd, env: cleaned().env, purpose: purpose as LoadPurpose, pm2: code?.folder ?? "" };
    const resultLine = await runProgram(path, given);
    const { readOutcome } = await import("./read-outcome.ts");
    const outcome = readOutcome(resultLine);
    if (outcome === undefined)
      throw loadError("ECOSYSTEM_EXPORT_INVALID", path, "it wrote other data where svcm expected its result");
    if (!outcome.ok) throw loadError(outcome.code, path, outcome.reason, outcome.at && locationText(outcome.at));
    const { apps, found, isDefaultExport, files, absent, refusals } = outcome;
    const withheld = absent.filter((name) => cleaned().withheldNames.has(name));
    return {
      path,
      realPath: await attempt("open", path, () => realpath(path)),
      apps: apps.map((app) => ({ ...app, absent })),
      found,
      isDefaultExport,
      files,
      withheld,
      refusals,
    };
  };
  const loadShared = oneAtATime(load);
  return {
    async list(folder) {
      try {
        return await attempt("read", folder, () => readdir(folder));
      } catch (error) {
        if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
        throw error;
      }
    },
    load: (path, cwd = root, purpose = "read") => loadShared(`${path}\0${cwd}\0${purpose}`),
    withheldValues: () => cleaned().withheld,
  };
}

/** Reading a FIFO would block forever. */
async function requireRegularFile(path: string): Promise<void> {
  const stats = await attempt("open", path, () => stat(path));
  if (stats.isDirectory()) throw fileError("EISDIR", "read", path);
  if (!stats.isFile()) throw fileError("ENOTREG", "read", path);
}

function locationText({ file, line, column }: FileLocation): string {
  return `${file}:${line}${column === undefined ? "" : `:${column}`}`;
}

const INTERNAL_VARIABLE =
  /^(?:NODE_(?!ENV$|PATH$|EXTRA_CA_CERTS$)|SVC_SERVICE_MANAGEMENT_|PM2_PROGRAMMATIC$|VITEST|SVCM_)/;

/** Shorter secrets may occur inside ordinary words. */
const MIN_SECRET_LENGTH = 6;

function cleanEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secretValues = entries.filter(isSecret).map(([, value]) => value);
  const withheld = secretValues.filter((value) => value.length >= MIN_SECRET_LENGTH && !isPath(value));
  const isWithheld = ([name, value]: [string, string]): boolean =>
    isSecret([name, value]) || withheld.some((secret) => value.includes(secret));
  const withheldNames = new Set(entries.filter(isWithheld).map(([name]) => name));
  const passedOn = entries.filter(([name]) => !INTERNAL_VARIABLE.test(name) && !withheldNames.has(name));
  return { env: Object.fromEntries(passedOn), withheld, withheldNames };
}

/** A list of folders that contains an `@` looks like a URL with a user. */
function isSecret([name, value]: [string, string]): boolean {
  return isSecretName(name) || (!name.endsWith("PATH") && hasCredentials(value));
}

/** Paths are not secrets, and masking them would hide half of every other path. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}
