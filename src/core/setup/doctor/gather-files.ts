import { ownMember } from "../../words/record.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { HasStamps } from "../../files/ports.ts";
import type { HasEcosystems } from "../../pm2/port-ecosystems.ts";
import type { Vocabulary } from "../../deployments/vocabulary.ts";
import { ecosystemFileNames } from "../../pm2/file-name.ts";

import type { Survey } from "../detect/survey.ts";
import { resolvePath, ecosystemSpellings, type EnvironmentRequest } from "../../project/resolve.ts";
import type { Project } from "../../project/project.ts";
import { isSameGroup, overriddenKeys, type ConfiguredFile } from "./examine.ts";

type NamedFile = Omit<ConfiguredFile, "exists" | "overridden">;

/** Without a `svcm.yaml`, the files in the default places count. */
export async function gatherFiles(
  ports: HasEcosystems & HasStamps & HasWorkspace,
  vocabulary: Vocabulary,
  project: Project | undefined,
  { files }: Survey,
): Promise<ConfiguredFile[]> {
  const { root } = ports.workspace;
  const named = project ? declaredFiles(root, project) : await defaultFiles(ports, vocabulary);
  const missing = ports.stamps.missing(named.map(({ path }) => path));
  const places = named.map((place) => {
    const later = named.slice(named.indexOf(place) + 1).filter((other) => isSameGroup(place, other));
    const contentOf = ({ path }: NamedFile): string | undefined => files.get(rootRelative(root, path));
    return {
      ...place,
      path: rootRelative(root, place.path),
      exists: !missing.has(place.path),
      overridden: place.kind === "env" ? overriddenKeys(contentOf(place), later.map(contentOf)) : [],
    };
  });
  return project ? places : places.filter(({ exists }) => exists);
}

export function readableRequests(
  places: readonly ConfiguredFile[],
  kind: ConfiguredFile["kind"],
): EnvironmentRequest[] {
  const ofKind = places.filter((place) => place.kind === kind);
  const isReadable = (place: ConfiguredFile): boolean => {
    const group = ofKind.filter((other) => isSameGroup(place, other));
    // PM2 runs all ecosystem files, so each must exist. For env files, one layer is enough.
    return kind === "env" ? group.some(({ exists }) => exists) : group.every(({ exists }) => exists);
  };
  const requests = ofKind
    .filter(isReadable)
    .map(({ environment, service }) => ({ environment, service: service === "" ? undefined : service }));
  return [...new Map(requests.map((one) => [JSON.stringify(one), one])).values()];
}

export function rootRelative(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function declaredFiles(root: string, { services, environments }: Project): NamedFile[] {
  return Object.keys(environments).flatMap((environment) =>
    Object.entries(services).flatMap(([service, { folder, ecosystem, env }]) => {
      const base = resolvePath(root, folder);
      const files = (ownMember(ecosystem, environment) ?? []).map(({ file }) => file);
      const layers = ownMember(env, environment)?.layers ?? [];
      return [
        ...files.map((file): NamedFile => ({ kind: "ecosystem", environment, service, path: resolvePath(base, file) })),
        ...layers.map((file): NamedFile => ({ kind: "env", environment, service, path: resolvePath(base, file) })),
      ];
    }),
  );
}

async function defaultFiles(
  { workspace: { configDir, pm2Dir }, ecosystems }: HasEcosystems & HasWorkspace,
  { contract, matrix }: Vocabulary,
): Promise<NamedFile[]> {
  const listed = await ecosystems.list(pm2Dir).catch((): readonly string[] => []);
  const names = [...new Set(ecosystemSpellings(contract, matrix).values())];
  const service = "";
  return [
    ...names.flatMap((environment): NamedFile[] => {
      const file = ecosystemFileNames(environment).find((name) => listed.includes(name));
      return file === undefined ? [] : [{ kind: "ecosystem", environment, service, path: `${pm2Dir}/${file}` }];
    }),
    ...Object.entries(contract.environments).map(([environment, { file }]): NamedFile => ({
      kind: "env",
      environment,
      service,
      path: `${configDir}/${file}`,
    })),
  ];
}
