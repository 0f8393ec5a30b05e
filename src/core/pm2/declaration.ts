import { declaredApps, type Machine } from "./declared.ts";
import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import type { Fields } from "./normalise.ts";

export interface Declaration {
  readonly name: string;
  readonly apps: readonly Fields[];
  /** A relative `cwd` is resolved against it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file reads a variable for these that svcm does not pass to it. */
  readonly unset: readonly string[];
  readonly missingFolder: string | undefined;
  /** Only `pm2 start --env` reads these blocks `env_<name>`. */
  readonly blocks: readonly string[];
}

export function findDeclaration(
  loaded: LoadedEcosystem,
  name: string,
  { machine, spellings }: { readonly machine: Machine; readonly spellings: readonly string[] },
): Declaration {
  const declared = declaredApps(loaded, machine);
  const found = loaded.apps.filter((_app, index) => declared[index]?.name === name);
  const { folder = "/" } = found[0]?.places ?? {};
  const blocks = new Set(spellings.map((spelling) => `env_${spelling}`));
  return {
    name,
    apps: found.map(({ fields, places }) => ({
      ...fields,
      name,
      ...(places.folder !== folder && { cwd: places.cwd }),
    })),
    folder,
    env: Object.assign({}, ...declared.filter((app) => app.name === name).map(({ env }) => env)) as Record<
      string,
      string
    >,
    unset: [...new Set(found.flatMap(({ unset }) => unset))].toSorted(),
    missingFolder: found.find(({ places }) => !places.hasCwd)?.places.cwd,
    blocks: [...new Set(found.flatMap(({ keys }: LoadedApp) => keys.filter((key) => blocks.has(key))))],
  };
}
