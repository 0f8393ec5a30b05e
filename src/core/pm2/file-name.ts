/** The endings of an ecosystem file. If there are several files, the first ending counts. */
const ENDINGS = [".config.cjs", ".config.js", ".config.mjs", ".config.json", ".config.yaml", ".config.yml"] as const;

/** The possible names of an environment's ecosystem file. If there is no such file, messages use the first. */
export function ecosystemFileNames(environment: string): [string, ...string[]] {
  const [ours, ...others] = ENDINGS.map((ending) => `ecosystem.${environment}${ending}`);
  return [ours ?? "", ...others];
}

export type Pm2FileKind = "json" | "yaml" | "js" | "mjs";

const KINDS: readonly (readonly [string, Pm2FileKind])[] = [
  [".json", "json"],
  [".yml", "yaml"],
  [".yaml", "yaml"],
  [".config.js", "js"],
  [".config.cjs", "js"],
  [".config.mjs", "mjs"],
];

/**
 * The kind of a file to PM2, which looks for each ending anywhere in the path, folders included. `undefined` is a script:
 * PM2 runs it instead of reading it.
 */
export function pm2FileKind(path: string): Pm2FileKind | undefined {
  return KINDS.find(([ending]) => path.includes(ending))?.[1];
}
