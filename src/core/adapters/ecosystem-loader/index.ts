import { readdir, stat } from "node:fs/promises";
import type { EcosystemLoader } from "../../ports/index.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import { once, oneAtATime } from "../../words/once.ts";
import { attempting, refuse } from "../files/file-error.ts";
import { isRefusal } from "../files/system.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import type { Place } from "./outcome.ts";
import { failure, runProgram } from "./run-program.ts";

export interface EcosystemLoaderOptions {
  /** Current folder of a file's process, because PM2 resolves relative paths from its caller. */
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
      throw failure("ECOSYSTEM_EXPORT_INVALID", path, "it wrote something else where its result was expected");
    if (!outcome.ok) throw failure(outcome.code, path, outcome.reason, outcome.at && textOf(outcome.at));
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
    withheld: () => cleaned().withheld,
  };
}

/** Reading a FIFO would wait without end. */
async function requireRegular(path: string): Promise<void> {
  const stats = await attempting("open", path, () => stat(path));
  if (stats.isDirectory()) throw refuse("EISDIR", "read", path);
  if (!stats.isFile()) throw refuse("ENOTREG", "read", path);
}

function textOf({ file, line, column }: Place): string {
  return `${file}:${line}${column === undefined ? "" : `:${column}`}`;
}
