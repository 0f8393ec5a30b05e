import { isEnvName, isTemplateName } from "../words/env-names.ts";
import type { FileStamps } from "../files/ports.ts";
import { environmentInName, environmentOf } from "../words/environment-names.ts";
import { baseName } from "../words/path.ts";
import { once } from "../words/once.ts";

interface Repository {
  readonly root: string;
  readonly environment: string;
  /** By any environment, because `svcm.yaml` then says who reads it. Looked at once for all apps. */
  readonly named: readonly string[];
  /** By this environment. A file without an environment in its name, such as `.env.local`, may be read in each of them. */
  readonly own: readonly string[];
}

interface AppFolder {
  readonly cwd: string;
  /** That the app's own arguments name. */
  readonly envFiles: readonly string[];
}

interface FoundFile {
  readonly path: string;
  readonly id: string;
}

/**
 * Finds env files that the environment does not name and may read, in the folder of an app and in those above it. The app may read them
 * itself, so a change of one is a doubt. A link counts as the file that it leads to.
 */
export function unnamedEnvFiles(
  stamps: FileStamps,
  { root, environment, named, own }: Repository,
): (app: AppFolder) => string[] {
  const idsOf = (paths: readonly string[]) => stamps.read(paths).map((stamp) => stamp?.id);
  const namedIds = once(() => new Set(idsOf(named)));
  const ownNamedIds = once(() => new Set(idsOf(own)));
  const mayRead = envNamesOf(environment);
  const byFolder = new Map<string, readonly FoundFile[]>();
  const filesIn = (folder: string): readonly FoundFile[] => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const names = stamps.names(folder).filter(mayRead).toSorted();
    const paths = names.map((name) => `${folder}/${name}`);
    const found = idsOf(paths).flatMap((id, index) => (id === undefined ? [] : [{ path: paths[index] ?? "", id }]));
    byFolder.set(folder, found);
    return found;
  };
  return ({ cwd, envFiles }) => {
    const found = foldersUpTo(root, cwd).flatMap(filesIn);
    if (found.length === 0) return [];
    const ownIds = idsOf(envFiles);
    const isNamed = ({ path, id }: FoundFile): boolean => {
      const [paths, ids] = environmentIn(baseName(path)) === undefined ? [own, ownNamedIds] : [named, namedIds];
      return paths.includes(path) || envFiles.includes(path) || ids().has(id) || ownIds.includes(id);
    };
    return found.filter((file) => !isNamed(file)).map(({ path }) => path);
  };
}

function foldersUpTo(root: string, folder: string): string[] {
  if (!folder.startsWith(`${root}/`)) return [folder];
  return [folder, ...foldersUpTo(root, folder.slice(0, folder.lastIndexOf("/")))];
}

/** Libraries combine files with any names, such as `.env.shared` and `.env.vault`. */
function envNamesOf(environment: string): (name: string) => boolean {
  const own = environmentOf(environment) ?? environment;
  // Staging often runs with the NODE_ENV of production.
  const environments = own === "dev" ? [own] : [own, "production"];
  return (name) => {
    if (!name.startsWith(".env") || !isEnvName(name) || isUnread(name)) return false;
    const found = environmentIn(name);
    return found === undefined || environments.includes(found);
  };
}

function environmentIn(name: string): string | undefined {
  return name === ".env.local" ? undefined : environmentInName(name);
}

/** Some libraries read a file of defaults, so it is not a template. */
function isUnread(name: string): boolean {
  return isTemplateName(name) && !/defaults?/i.test(name);
}
