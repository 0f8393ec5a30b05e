/** The endings of an ecosystem file, the contract's own first: where several files stand, the first counts. */
const ENDINGS = [".config.cjs", ".config.js", ".config.mjs", ".config.json", ".config.yaml", ".config.yml"] as const;

/** The names under which an environment's ecosystem file may stand. The first is the one that svcm names where none does. */
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
 * What PM2 takes a path for: the first of its endings that stands anywhere in it, folders included.
 * `undefined` is a script, which PM2 runs instead of reading it.
 */
export function pm2FileKind(path: string): Pm2FileKind | undefined {
  return KINDS.find(([ending]) => path.includes(ending))?.[1];
}
