import type { FileStamps } from "../files/port-files.ts";
import { once } from "../words/once.ts";

/** dotenv reads the first; frameworks read the others, too. */
const namesFor = (environment: string): string[] => [
  ".env",
  ".env.local",
  `.env.${environment}`,
  `.env.${environment}.local`,
];

interface AppFolder {
  readonly cwd: string;
  readonly environment: string;
  /** That the app's own arguments name. */
  readonly envFiles: readonly string[];
}

/**
 * Finds env files in the folder of an app that no environment names. The app may read them itself, so a change of one is
 * a doubt. A link counts as the file that it leads to.
 * @param named by any environment, because `svcm.yaml` then says who reads it. Looked at once for all apps
 */
export function unnamedEnvFiles(stamps: FileStamps, named: readonly string[]): (app: AppFolder) => string[] {
  const idsOf = (paths: readonly string[]) => stamps.read(paths).map((stamp) => stamp?.id);
  const namedIds = once(() => new Set(idsOf(named)));
  return ({ cwd, environment, envFiles }) => {
    const paths = namesFor(environment).map((name) => `${cwd}/${name}`);
    const found = idsOf(paths);
    if (found.every((id) => id === undefined)) return [];
    const ownIds = idsOf(envFiles);
    return paths.filter((path, index) => {
      const id = found[index];
      const isNamed = named.includes(path) || envFiles.includes(path) || namedIds().has(id) || ownIds.includes(id);
      return id !== undefined && !isNamed;
    });
  };
}
