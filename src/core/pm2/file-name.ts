/** The file name endings of an ecosystem file. If there are several files, the first ending wins. */
const ENDINGS = [".config.cjs", ".config.js", ".config.mjs", ".config.json", ".config.yaml", ".config.yml"] as const;

/** The possible names of an environment's ecosystem file. If no file exists, messages use the first name. */
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
 * The file kind as PM2 sees it. PM2 looks for each ending anywhere in the path, including folders. `undefined` means a
 * script, which PM2 runs instead of reading.
 */
export function pm2FileKind(path: string): Pm2FileKind | undefined {
  return KINDS.find(([ending]) => path.includes(ending))?.[1];
}
