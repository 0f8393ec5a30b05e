import type { FileStamps } from "../files/port-files.ts";
import { once } from "../words/once.ts";

/** dotenv reads the first; frameworks read the others, too, and some apps those of the folders above. */
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

interface Repository {
  readonly root: string;
  /** By any environment, because `svcm.yaml` then says who reads it. Looked at once for all apps. */
  readonly named: readonly string[];
}

/**
 * Finds env files that no environment names, in the folder of an app and in those above it. The app may read them
 * itself, so a change of one is a doubt. A link counts as the file that it leads to.
 */
export function unnamedEnvFiles(stamps: FileStamps, { root, named }: Repository): (app: AppFolder) => string[] {
  const idsOf = (paths: readonly string[]) => stamps.read(paths).map((stamp) => stamp?.id);
  const namedIds = once(() => new Set(idsOf(named)));
  return ({ cwd, environment, envFiles }) => {
    const paths = foldersUpTo(root, cwd).flatMap((folder) => namesFor(environment).map((name) => `${folder}/${name}`));
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

function foldersUpTo(root: string, folder: string): string[] {
  if (!folder.startsWith(`${root}/`)) return [folder];
  return [folder, ...foldersUpTo(root, folder.slice(0, folder.lastIndexOf("/")))];
}
