/** The link `current` of a deploy root, and the apps that do not run where it leads after a rollback. */
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { RollbackPlan } from "../../api/rollback-plan.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { baseName } from "../../words/path.ts";
import { namesOfApp, type ReleaseHead } from "../release.ts";

interface LinkFacts {
  /** Its move if every app of the release returns; `undefined` if it leads there already. */
  readonly link: RollbackPlan["current"];
  readonly returning: readonly string[];
  /** Apps of the release that the request leaves as they are. */
  readonly staying: readonly string[];
  readonly running: readonly ProcessRecord[];
}

/**
 * `current` is for all apps, so it moves with the last of them. If a newer deploy has moved it since, the apps that run
 * there hold it, too. The release of another tool runs by the link itself.
 */
export function decideLink(
  undone: ReleaseHead,
  { link, returning, staying, running }: LinkFacts,
): Pick<RollbackPlan, "current" | "stays" | "apart"> {
  const { deploy, before } = undone;
  if (deploy === undefined) return {};
  if (deploy.former === null) {
    const isForeign = link !== undefined && link.to !== null;
    if (link === undefined || staying.length === 0 || isForeign) return omitUndefined({ current: link });
    return { stays: { path: link.path, at: link.from, apps: [...staying] } };
  }
  const names = new Set(returning.flatMap((app) => namesOfApp(undone, app)));
  const places = [
    ...running.filter(({ name }) => !names.has(name)).map(({ name, cwd, script }) => ({ name, paths: [cwd, script] })),
    ...before.filter(({ name }) => names.has(name)).map(({ name, paths = [] }) => ({ name, paths })),
  ].map(({ name, paths }) => ({ name, release: findReleaseFolder(deploy.root, paths) }));
  const at = baseName(link?.from ?? "");
  const holding = at === deploy.id ? [] : places.filter(({ name, release }) => release === at && !names.has(name));
  const apps = staying.length > 0 ? staying : holding.map(({ name }) => name);
  const isHeld = link !== undefined && apps.length > 0;
  const target = isHeld ? at : deploy.former;
  const apart = places.filter(({ release }) => release !== undefined && release !== target).map(({ name }) => name);
  return {
    ...(isHeld
      ? { stays: { path: link.path, at: link.from, apps: [...new Set(apps)] } }
      : omitUndefined({ current: link })),
    ...(apart.length > 0 && { apart: [...new Set(apart)] }),
  };
}

function findReleaseFolder(root: string, paths: readonly (string | null)[]): string | undefined {
  const releases = `${root}/releases/`;
  const own = paths.find((path) => path?.startsWith(releases));
  return own?.slice(releases.length).split("/", 1).join();
}
