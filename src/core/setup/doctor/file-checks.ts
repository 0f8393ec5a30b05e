import { baseName, rootRelative } from "../../words/text.ts";
import { ownMember, withMembers } from "../../words/record.ts";
import type { HasHost, HasStamps } from "../../files/ports.ts";
import type { HasEcosystems, Repository } from "../../pm2/ports.ts";
import type { Issue } from "../../api/issue.ts";
import type { Vocabulary } from "../../deployments/file.ts";
import { checkEnvFiles } from "../../env/check.ts";
import { readEnvFile } from "../../env/env-file.ts";
import { compareTemplate } from "../../env/template.ts";
import { SvcmError } from "../../api/errors.ts";
import { readChecked, type CheckedFile } from "../../pm2/checked-ecosystem.ts";
import { loadOnce } from "../../pm2/ecosystem-file.ts";
import { normaliseApp } from "../../pm2/normalise.ts";
import { machineCodes } from "../../pm2/rules/index.ts";
import type { Survey } from "../detect/survey.ts";
import type { HasDeployed } from "../../rollout/port-deployed.ts";
import { resolvePath, type EnvironmentRequest, ecosystemSpellings } from "../../project/resolve.ts";
import type { Project } from "../../project/project.ts";
import { isSameGroup, type ConfiguredFile, overriddenKeys, unnamedFiles } from "./examine.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import { ecosystemFileNames } from "../../pm2/loaded.ts";

/** The env files that an app may have read at its start. Absolute paths. */
export interface AppEnvFiles {
  readonly name: string;
  readonly environment: string;
  /** `""` without a name. */
  readonly service: string;
  readonly envFiles: readonly string[];
}

interface CheckContext {
  readonly ports: Repository & HasDeployed & HasHost;
  readonly vocabulary: Vocabulary;
  readonly places: readonly ConfiguredFile[];
  readonly project: Project | undefined;
  readonly survey: Survey;
}

/** @param offline skips checks of the machine */
export async function checkEcosystems(
  { ports: originalPorts, vocabulary, places }: CheckContext,
  offline: boolean,
): Promise<{ readonly issues: readonly Issue[]; readonly apps: readonly AppEnvFiles[] }> {
  const ports = withMembers(originalPorts, { ecosystems: loadOnce(originalPorts.ecosystems) });
  const { root } = ports.workspace;
  const issues: Issue[] = [];
  const apps: AppEnvFiles[] = [];
  const requests = readableRequests(places, "ecosystem");
  // After a deploy, no app runs in the checkout, so it need not be built.
  const isUnused = async (request: EnvironmentRequest): Promise<boolean> =>
    offline || (await ports.deployed.world(request)) !== undefined;
  for (const request of requests) {
    const { environment = "", service = "" } = request;
    try {
      const checked = await readChecked(ports, vocabulary, request);
      issues.push(...placedIssues(root, checked, await isUnused(request)));
      const layers = places.filter((one) => isSameGroup(one, { kind: "env", environment, service }));
      const own = layers.map(({ path }) => resolvePath(root, path));
      apps.push(...toAppEnvFiles(checked, own).map((app) => ({ ...app, environment, service })));
    } catch (error) {
      issues.push(...toFailureIssues("ecosystem", error, root));
    }
  }
  // Each service is right by itself, and PM2 has the apps of all of them.
  for (const environment of environmentsOfSeveral(requests)) {
    // The services have reported what cannot be read.
    const checked = await readChecked(ports, vocabulary, { environment }).catch(() => undefined);
    const withoutMachine = await isUnused({ environment }).catch(() => true);
    if (checked !== undefined) issues.push(...placedIssues(root, checked, withoutMachine));
  }
  return { issues: uniqueIssues(issues), apps };
}

function environmentsOfSeveral(requests: readonly EnvironmentRequest[]): Set<string> {
  const named = requests.flatMap(({ environment, service }) => (service === undefined ? [] : (environment ?? [])));
  return new Set(named.filter((environment, index) => named.indexOf(environment) !== index));
}

/** An issue of an app is in its file; otherwise the name of one of several files begins the message. */
function placedIssues(root: string, checked: CheckedFile, withoutMachine: boolean): Issue[] {
  const { loaded } = checked.file;
  const found = [
    ...checked.issues.filter(({ code }) => !withoutMachine || !machineCodes.has(code)),
    ...unsetVariableIssues(checked),
  ];
  return found.map((issue) => {
    const [, index] = issue.path;
    const named = loaded?.parts?.find((part) => issue.message.startsWith(`${baseName(part.path)} `));
    const { path } = loaded?.apps[Number(index)]?.start ?? named ?? checked.file;
    return { ...issue, path: ["ecosystem", ...issue.path], at: { file: rootRelative(root, path), line: 1, column: 1 } };
  });
}

export async function checkEnvironments(checking: CheckContext): Promise<readonly Issue[]> {
  const { ports, vocabulary, places } = checking;
  const { root } = ports.workspace;
  const issues: Issue[] = [];
  for (const request of readableRequests(places, "env")) {
    try {
      const { layers } = await readEnvFile(ports, vocabulary.contract, request);
      const named = layers.map(({ text, path }) => ({ text, fileName: rootRelative(root, path) }));
      const found = [...checkEnvFiles(vocabulary.contract, named), ...templateIssues(checking, request.service, named)];
      issues.push(...found.map((issue) => ({ ...issue, path: ["env", ...issue.path] })));
    } catch (error) {
      const isEncrypted = error instanceof SvcmError && error.body.code === "ENV_FILE_ENCRYPTED";
      if (!isEncrypted) issues.push(...toFailureIssues("env", error, root));
    }
  }
  return uniqueIssues(issues);
}

/** Warnings, because an app may run in spite of them. */
function templateIssues(
  { ports, project, survey }: CheckContext,
  service = "",
  layers: readonly { readonly text: string; readonly fileName: string }[],
): Issue[] {
  const { root } = ports.workspace;
  const { folder = ".", template } = ownMember(project?.services, service) ?? {};
  const path = rootRelative(root, resolvePath(resolvePath(root, folder), template ?? ""));
  const text = template === undefined ? undefined : survey.files.get(path);
  if (text === undefined) return [];
  const fileName = layers.at(-1)?.fileName ?? "";
  const issues = compareTemplate({ template: { fileName: path, text }, layers, fileName });
  return issues.map((issue) => ({ ...issue, severity: "warning" }));
}

export function toFailureIssues(check: string, error: unknown, root: string): Issue[] {
  if (!(error instanceof SvcmError)) throw error;
  const { issues = [], code = error.kind, path } = error.body;
  if (issues.length > 0) return issues.map((issue) => ({ ...issue, path: [check, ...issue.path] }));
  const at = path === undefined ? {} : { at: { file: rootRelative(root, path), line: 1, column: 1 } };
  return [
    { code, severity: code === "PM2_NOT_RUNNING" ? "warning" : "error", path: [check], message: error.message, ...at },
  ];
}

/** The file reads these, and svcm would not pass them to the app. */
function unsetVariableIssues({ file, scrub }: CheckedFile): Issue[] {
  return (file.loaded?.apps ?? []).flatMap(({ unset: keys, fields }, index): Issue[] => {
    if (keys.length === 0) return [];
    const name = scrub(normaliseApp(fields).name);
    const verb = keys.length === 1 ? "has" : "have";
    const message = `${name}: ${keys.map(scrub).join(", ")} ${verb} no value where svcm reads the file; svcm starts the app without`;
    return [{ code: "PROCESS_VARIABLE_UNSET", severity: "warning", path: ["apps", index, "env"], message }];
  });
}

function toAppEnvFiles({ file }: CheckedFile, layers: readonly string[]): Pick<AppEnvFiles, "name" | "envFiles">[] {
  return (file.loaded?.apps ?? []).map(({ fields, places }) => ({
    name: normaliseApp(fields).name,
    envFiles: [...new Set([...places.envFiles.map(({ path }) => path), ...layers])],
  }));
}

function uniqueIssues(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify([issue.code, issue.message, issue.at]), issue])).values()];
}

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

/** Files that the project leaves undecided are named, too. */
export function unnamedIn(
  root: string,
  found: Parameters<typeof unnamedFiles>[0],
  project: Project | undefined,
): string[] {
  if (project === undefined) return [];
  const named = declaredFiles(root, project).map(({ path }) => rootRelative(root, path));
  return unnamedFiles(found, new Set([...named, ...project.undecided.map(({ file }) => file)]));
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
