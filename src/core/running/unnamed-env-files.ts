import type { FileStamps } from "../files/port-files.ts";

/** dotenv reads the first; frameworks read the others, too. */
const namesFor = (environment: string): string[] => [
  ".env",
  ".env.local",
  `.env.${environment}`,
  `.env.${environment}.local`,
];

/**
 * Env files in the folder of an app that no environment names. The app may read them itself, so a change of one is a
 * doubt. A link counts as the file that it leads to.
 * @param named by any environment, because `svcm.yaml` then says who reads it
 */
export function findUnnamedEnvFiles(
  stamps: FileStamps,
  { cwd, environment }: { readonly cwd: string; readonly environment: string },
  named: readonly string[],
): string[] {
  const paths = namesFor(environment).map((name) => `${cwd}/${name}`);
  const found = stamps.read(paths);
  if (found.every((stamp) => stamp === null)) return [];
  const known = new Set(stamps.read(named).map((stamp) => stamp?.id));
  return paths.filter((path, index) => {
    const id = found[index]?.id;
    return id !== undefined && !known.has(id) && !named.includes(path);
  });
}
