/** The names below a deploy root. @see CONTRACT section 14 */
import { createIdAfter, timeDigits } from "../words/time.ts";

export interface Layout {
  readonly root: string;
  readonly repository: string;
  readonly releases: string;
  readonly shared: string;
  readonly current: string;
  /** Of svcm; only the owner may read it. */
  readonly records: string;
}

export function layoutOf(root: string): Layout {
  const below = (name: string): string => `${root}/${name}`;
  return {
    root,
    repository: below("repository.git"),
    releases: below("releases"),
    shared: below("shared"),
    current: below("current"),
    records: below("records"),
  };
}

export interface ReleasePlace {
  readonly layout: Layout;
  readonly id: string;
  /** Of the repository root below the top of the checkout: `""`, or `packages/api/`. */
  readonly prefix: string;
  readonly commit: string;
  /** The top of the checkout. */
  readonly checkout: string;
}

/** `20261127080501-4a91c77` sorts by time, and Capistrano's pruning leaves it alone. */
export const DEPLOY_ID = /^\d{14}-[0-9a-f]{7}$/;

/** @param taken ids that exist: a new one sorts after them */
export function createDeployId(nowMs: number, commit: string, taken: ReadonlySet<string>): string {
  const [newest = ""] = [...taken]
    .filter((id) => DEPLOY_ID.test(id))
    .toSorted()
    .toReversed();
  return createIdAfter(newest, nowMs, (ms) => `${timeDigits(ms)}-${commit.slice(0, COMMIT_DIGITS)}`);
}

export const COMMIT_DIGITS = 7;

/** The release that a link such as `releases/<id>` leads to; `null` for another target. */
export function deployOfLink(target: string | null): string | null {
  const id = target?.split("/").at(-1) ?? "";
  return DEPLOY_ID.test(id) ? id : null;
}

/** The release folder that holds the path; `undefined` for a path elsewhere. */
export function deployOfPath({ releases }: Pick<Layout, "releases">, path: string): string | undefined {
  if (!path.startsWith(`${releases}/`)) return undefined;
  const [id = ""] = path.slice(releases.length + 1).split("/");
  return DEPLOY_ID.test(id) ? id : undefined;
}

/** Packages, caches and logs: an app, or its build, makes them again. @param name without the folders above it */
export function isNoData(name: string): boolean {
  return NAMES.test(name) || /^\.next\b|cache$/i.test(name);
}

const NAMES = /^(?:node_modules|\.git|\.svcm|\.cache|\.npm|__pycache__|logs?|tmp)$/;
