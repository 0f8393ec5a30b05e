const ENDINGS = [".config.cjs", ".config.js", ".config.mjs", ".config.json", ".config.yaml", ".config.yml"] as const;

/** Messages use the first name if no file exists. */
export function ecosystemFileNames(environment: string): [string, ...string[]] {
  const [preferred, ...others] = ENDINGS.map((ending) => `ecosystem.${environment}${ending}`);
  return [preferred ?? "", ...others];
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

/** PM2 looks for each ending anywhere in the path, including folders. It runs any other file as a script. */
export function pm2FileKind(path: string): Pm2FileKind | undefined {
  return KINDS.find(([ending]) => path.includes(ending))?.[1];
}
