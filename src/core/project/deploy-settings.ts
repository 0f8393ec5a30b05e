/** The members of `deploy` in `svcm.yaml`. Each has a default, so the section may be absent. */
import { parseDuration } from "../words/time.ts";

/** A text runs in a shell, a list without one; false for none. */
export type DeployCommand = string | readonly string[] | false;

export interface DeploySettings {
  /** Relative to the repository root. The default is below PM2_HOME. */
  readonly root: string | undefined;
  /** A remote of the repository, a path, or a URL. */
  readonly source: string | undefined;
  readonly shared: readonly string[];
  /** Files of the checkout that no release needs. */
  readonly left: readonly string[];
  /** `undefined` for the command that the lockfile implies. */
  readonly install: DeployCommand | undefined;
  /** `undefined` for the script `build` of package.json, if it has one. */
  readonly build: DeployCommand | undefined;
  /** Of the release itself, before anything that runs is touched. */
  readonly check: DeployCommand | undefined;
  /** Names of values of the env layers that build and check may see. */
  readonly env: readonly string[];
  readonly keep: number;
  readonly timeoutMs: number;
}

export interface DeclaredDeploy {
  readonly root?: string | undefined;
  readonly source?: string | undefined;
  readonly shared?: readonly string[] | undefined;
  readonly left?: readonly string[] | undefined;
  readonly install?: DeployCommand | undefined;
  readonly build?: DeployCommand | undefined;
  readonly check?: DeployCommand | undefined;
  readonly env?: readonly string[] | undefined;
  readonly keep?: number | undefined;
  readonly timeout?: string | undefined;
}

export const DEPLOY_TIMEOUT = /^([1-9]\d{0,3})([smh])$/;
export const MIN_KEEP = 2;
export const MAX_KEEP = 50;
const DEFAULT_KEEP = 5;
const DEFAULT_TIMEOUT = "10m";

export function toDeploySettings({ timeout, ...declared }: DeclaredDeploy = {}): DeploySettings {
  return {
    root: declared.root,
    source: declared.source,
    shared: withoutSlash(declared.shared),
    left: withoutSlash(declared.left),
    install: declared.install,
    build: declared.build,
    check: declared.check,
    env: declared.env ?? [],
    keep: declared.keep ?? DEFAULT_KEEP,
    timeoutMs: parseDuration(timeout ?? DEFAULT_TIMEOUT, DEPLOY_TIMEOUT) ?? 0,
  };
}

function withoutSlash(paths: readonly string[] = []): string[] {
  return [...new Set(paths.map((path) => path.replace(/\/+$/, "")))];
}

const PATH_PART = String.raw`(?!\.{1,2}(?:/|$))[^/\0]+`;

/** Inside of a release. A linked `node_modules` would let an install empty what the running release loads. */
export const SHARED_PATH = new RegExp(
  String.raw`^(?!\.git(?:/|$))(?!(?:.*/)?node_modules(?:/|$))${PATH_PART}(?:/${PATH_PART})*/?$`,
);
