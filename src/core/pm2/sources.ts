import { ownMember } from "../words/record.ts";
/** Assigns the apps of PM2 files to services. */
import { resolvePath, type NamedService } from "../project/resolve.ts";

export interface Source {
  readonly service: string;
  readonly path: string;
  readonly cwd: string;
  readonly declaresCwd: boolean;
  readonly env: string | undefined;
  /** `undefined` if every app of the file belongs to the service. */
  readonly apps: readonly string[] | undefined;
  /** Apps that another service claims by name. */
  readonly except: readonly string[];
  readonly blocks: ReadonlySet<string>;
}

/**
 * The same app of the same file exists once, whatever `svcm.yaml` says: it belongs to the service that names it, else to
 * the first one. So all services are needed, even if only some of them are requested.
 */
export function sourcesOf(
  root: string,
  services: readonly NamedService[],
  environment: string,
  folderOf: (service: NamedService["service"]) => string = ({ folder }) => resolvePath(root, folder),
): Source[] {
  const all = services.flatMap((service) => declaredSources(root, service, environment, folderOf));
  return all.flatMap((source, index): Source[] => {
    const earlier = all.slice(0, index).filter((other) => isSameStart(source, other));
    const others = all.filter((other) => other !== source && isSameStart(source, other));
    if (source.apps === undefined) {
      const isTaken = earlier.some(({ apps }) => apps === undefined);
      return isTaken ? [] : [{ ...source, except: others.flatMap(({ apps = [] }) => apps) }];
    }
    const taken = new Set(earlier.flatMap(({ apps = [] }) => apps));
    const apps = source.apps.filter((name) => !taken.has(name));
    return apps.length === 0 ? [] : [{ ...source, apps }];
  });
}

function isSameStart(one: Source, other: Source): boolean {
  return one.path === other.path && one.cwd === other.cwd && one.env === other.env;
}

function declaredSources(
  root: string,
  { name, service }: NamedService,
  environment: string,
  folderOf: (service: NamedService["service"]) => string,
): Source[] {
  const { ecosystem, apps } = service;
  const base = folderOf(service);
  const all = Object.values(ecosystem).flat();
  return (ownMember(ecosystem, environment) ?? []).map(({ file, cwd, env, only }) => {
    const path = resolvePath(base, file);
    const usedBlocks = all
      .filter((source) => resolvePath(base, source.file) === path)
      .map((source) => `env_${source.env}`);
    const start = { cwd: resolvePath(resolvePath(root, service.folder), cwd ?? "."), declaresCwd: cwd !== undefined };
    return { service: name, path, ...start, env, apps: narrow(apps, only), except: [], blocks: new Set(usedBlocks) };
  });
}

function narrow(apps: readonly string[] | undefined, only: readonly string[] | undefined): Source["apps"] {
  if (apps === undefined || only === undefined) return apps ?? only;
  return apps.filter((name) => only.includes(name));
}

export function includesApp({ apps, except }: Pick<Source, "apps" | "except">, name: string): boolean {
  return apps === undefined ? !except.includes(name) : apps.includes(name);
}
