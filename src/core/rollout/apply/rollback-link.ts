/** The link `current` of a deploy root, and the apps that do not run where it leads after a rollback. */
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { RollbackPlan } from "../../api/rollout-requests.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { baseName } from "../../words/text.ts";
import type { HasDeployed } from "../port-deployed.ts";
import { namesOfApp, type ReleaseHead } from "../release.ts";

interface LinkFacts {
  /** Its move if every app of the release returns; `undefined` if it leads there already. */
  readonly link: RollbackPlan["current"];
  readonly returning: readonly string[];
  /** Apps of the release that the request leaves as they are. */
  readonly staying: readonly string[];
  readonly running: readonly ProcessRecord[];
}

export async function planLink(
  { deployed }: HasDeployed,
  undone: ReleaseHead,
  facts: Omit<LinkFacts, "link">,
): Promise<LinkAfter> {
  const { deploy } = undone;
  const link = deploy && (await deployed.planSwitch({ id: deploy.former, root: deploy.root }));
  return decideLink(undone, { ...facts, link });
}

type LinkAfter = Pick<RollbackPlan, "current" | "stays" | "apart">;

/**
 * `current` is for all apps, so it moves with the last of them. If a newer deploy has moved it since, the apps that run
 * there hold it, too. The release of another tool runs by the link itself.
 */
export function decideLink(undone: ReleaseHead, facts: LinkFacts): LinkAfter {
  const { deploy } = undone;
  if (deploy === undefined) return {};
  const { link } = facts;
  const places = listPlaces(undone, deploy.root, facts);
  const isForeign = deploy.former === null && link?.to !== null;
  if (link !== undefined && !isForeign) {
    const at = baseName(link.from ?? "");
    const apps = facts.staying.length > 0 ? facts.staying : at === deploy.id ? [] : findHolding(places, at);
    if (apps.length > 0)
      return { stays: { path: link.path, at: link.from, apps: [...apps] }, ...apartFrom(places, at) };
  }
  return { ...omitUndefined({ current: link }), ...apartFrom(places, deploy.former ?? "") };
}

interface Place {
  readonly name: string;
  readonly isReturning: boolean;
  /** After the rollback; `undefined` outside of the deploy root. */
  readonly release: string | undefined;
}

function listPlaces(undone: ReleaseHead, root: string, { returning, running }: LinkFacts): Place[] {
  const names = new Set(returning.flatMap((app) => namesOfApp(undone, app)));
  const others = running.filter(({ name }) => !names.has(name));
  const former = undone.before.filter(({ name }) => names.has(name));
  return [
    ...others.map(({ name, cwd, script }) => ({ name, isReturning: false, release: releaseOf(root, [cwd, script]) })),
    ...former.map(({ name, paths = [] }) => ({ name, isReturning: true, release: releaseOf(root, paths) })),
  ];
}

function findHolding(places: readonly Place[], at: string): string[] {
  return namesOf(places.filter(({ isReturning, release }) => !isReturning && release === at));
}

function apartFrom(places: readonly Place[], target: string): Pick<RollbackPlan, "apart"> {
  if (target === "") return {};
  const apart = namesOf(places.filter(({ release }) => release !== undefined && release !== target));
  return apart.length === 0 ? {} : { apart };
}

function namesOf(places: readonly Place[]): string[] {
  return [...new Set(places.map(({ name }) => name))];
}

/** The release in which its apps ran before; `current` may have led elsewhere, for a service that is deployed alone. */
export function formerCode({ before, deploy }: Pick<ReleaseHead, "before" | "deploy">): string | null {
  const { root = "", former = null } = deploy ?? {};
  if (former === null) return null;
  const [id, ...others] = new Set(before.flatMap(({ paths = [] }) => releaseOf(root, paths) ?? []));
  return id === undefined || others.length > 0 ? former : id;
}

export function releaseOf(root: string, paths: readonly (string | null)[]): string | undefined {
  const releases = `${root}/releases/`;
  const own = paths.find((path) => path?.startsWith(releases));
  return own?.slice(releases.length).split("/", 1).join();
}
