import { ownMember } from "../words/record.ts";
import type { FactFinding } from "./facts/consistency.ts";
import type { Project, Service } from "./project.ts";
import { resolvePath } from "./resolve.ts";

interface Claim {
  readonly at: readonly (string | number)[];
  readonly file: string;
  readonly path: string;
  readonly cwd: string;
  readonly env: string | undefined;
  /** `undefined` for the whole file. */
  readonly apps: readonly string[] | undefined;
}

/** The checked text has no place on a disk; `..` has to stay inside this one. */
const ROOT = "/1/2/3/4/5/6/7/8/9";

/**
 * One environment starts an app of a file in one way. Two equal entries are one (see `sourcesOf`); two that start the
 * same app in different folders, or with different `--env`, contradict each other.
 */
export function contradictions(services: Project["services"]): FactFinding[] {
  const environments = new Set(Object.values(services).flatMap(({ ecosystem }) => Object.keys(ecosystem)));
  return [...environments].flatMap((environment) => {
    const claims = Object.entries(services).flatMap(([name, service]) => claimsOf(name, service, environment));
    return claims.flatMap((claim, index) => {
      const other = claims.slice(0, index).find((earlier) => isContradiction(earlier, claim));
      return other === undefined ? [] : [{ path: claim.at, message: describe(claim, other) }];
    });
  });
}

function claimsOf(name: string, { folder, ecosystem, apps }: Service, environment: string): Claim[] {
  const base = resolvePath(ROOT, folder);
  const sources = ownMember(ecosystem, environment) ?? [];
  return sources.map(({ file, cwd = ".", env, only }, index) => ({
    at: [...(name === "" ? [] : ["services", name]), "ecosystem", environment, ...(sources.length > 1 ? [index] : [])],
    file,
    path: resolvePath(base, file),
    cwd: resolvePath(base, cwd),
    env,
    apps: only ?? apps,
  }));
}

/** Two whole files in different folders may name their apps after the folder. */
function isContradiction(one: Claim, other: Claim): boolean {
  if (one.path !== other.path || (one.cwd === other.cwd && one.env === other.env)) return false;
  const named = one.apps ?? other.apps;
  if (named === undefined) return one.cwd === other.cwd;
  return named.some((name) => (one.apps ?? named).includes(name) && (other.apps ?? named).includes(name));
}

function describe(claim: Claim, other: Claim): string {
  const names = (claim.apps ?? other.apps ?? []).filter((name) => (other.apps ?? [name]).includes(name));
  const who = names.length === 0 ? `apps of ${claim.file}` : `${names.join(", ")} of ${claim.file}`;
  const [here, there] =
    claim.env === other.env
      ? ["in another folder", `${other.at.join(".")} starts them`]
      : [startText(claim), `${other.at.join(".")} starts them ${startText(other)}`];
  return `${claim.at.join(".")}: ${who} would start twice, here ${here}, while ${there}; keep one of the two entries`;
}

function startText({ env }: Claim): string {
  return env === undefined ? "without --env" : `with --env ${env}`;
}
