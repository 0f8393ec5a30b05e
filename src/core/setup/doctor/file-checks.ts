import { baseName } from "../../words/path.ts";
import { ownMember } from "../../words/record.ts";
import type { HasHost } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { Issue } from "../../api/issue.ts";
import type { Vocabulary } from "../../deployments/vocabulary.ts";
import { checkEnvFiles } from "../../env/check.ts";
import { readEnvFile } from "../../env/env-file.ts";
import { compareTemplate } from "../../env/template.ts";
import { SvcmError } from "../../api/errors.ts";
import { readChecked, type CheckedFile } from "../../pm2/checked-ecosystem.ts";
import { loadOnce } from "../../pm2/ecosystem-file.ts";
import { normaliseApp } from "../../pm2/normalise.ts";
import { machineCodes } from "../../pm2/rules/index.ts";

import type { Survey } from "../detect/survey.ts";
import { resolvePath, type EnvironmentRequest } from "../../project/resolve.ts";
import type { Project } from "../../project/project.ts";
import { isSameGroup, type ConfiguredFile } from "./examine.ts";
import { readableRequests, rootRelative } from "./gather-files.ts";

/** The env files that an app may have read at its start. Absolute paths. */
export interface AppEnvFiles {
  readonly name: string;
  readonly environment: string;
  /** `""` without a name. */
  readonly service: string;
  readonly envFiles: readonly string[];
}

interface CheckContext {
  readonly ports: Repository & HasHost;
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
  const ports = { ...originalPorts, ecosystems: loadOnce(originalPorts.ecosystems) };
  const { root } = ports.workspace;
  const issues: Issue[] = [];
  const apps: AppEnvFiles[] = [];
  const requests = readableRequests(places, "ecosystem");
  for (const request of requests) {
    const { environment = "", service = "" } = request;
    try {
      const checked = await readChecked(ports, vocabulary, request);
      issues.push(...placedIssues(root, checked, offline));
      const layers = places.filter((one) => isSameGroup(one, { kind: "env", environment, service }));
      const own = layers.map(({ path }) => resolvePath(root, path));
      apps.push(...toAppEnvFiles(checked, own).map((app) => ({ ...app, environment, service })));
    } catch (error) {
      issues.push(...toFailureIssues("ecosystem", error, root));
    }
  }
  // Each service is right by itself, and PM2 has the apps of all of them.
  for (const environment of environmentsOfSeveral(requests)) {
    const checked = await readChecked(ports, vocabulary, { environment }).catch(() => undefined);
    if (checked !== undefined) issues.push(...placedIssues(root, checked, offline));
  }
  return { issues: uniqueIssues(issues), apps };
}

function environmentsOfSeveral(requests: readonly EnvironmentRequest[]): Set<string> {
  const named = requests.flatMap(({ environment, service }) => (service === undefined ? [] : (environment ?? [])));
  return new Set(named.filter((environment, index) => named.indexOf(environment) !== index));
}

/** An issue of an app is in its file; otherwise the name of one of several files begins the message. */
function placedIssues(root: string, checked: CheckedFile, offline: boolean): Issue[] {
  const { loaded } = checked.file;
  const found = [
    ...checked.issues.filter(({ code }) => !offline || !machineCodes.has(code)),
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
