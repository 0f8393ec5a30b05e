import type { SetupPorts } from "../ports.ts";
import { SvcmError } from "../../api/errors.ts";
import { sortIssues, type Issue } from "../../api/issue.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { DEPLOYMENTS_FILE, documentPath } from "../../deployments/file.ts";
import { isEncrypted, parseEnvDocument, valuesOf } from "../../env/document.ts";
import type { Report } from "../../findings/rule.ts";
import { PROJECT_FILE, type Project } from "../../project/project.ts";
import { resolvePath } from "../../project/resolve.ts";
import { checkFiles, readDeclarations } from "../doctor/rules.ts";
import { gatherFiles, toFailureIssues, readableRequests } from "../doctor/file-checks.ts";
import type { HasFiles, HasHost } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import type { entrypoints } from "../../api/names.ts";
import { deploymentsCheck } from "../../deployments/operations/deployments.ts";
import { checkEnvFiles } from "../../env/check.ts";
import { isPlaceholder } from "../../secrets/redact.ts";
import { startupCheck } from "../../startup/operations/startup-check.ts";
import type { Survey } from "../detect/survey.ts";
import type { ConfiguredFile } from "../doctor/examine.ts";
import { didYouMean } from "../../words/suggest.ts";
import { rootRelative } from "../../words/text.ts";

export interface RepositoryCheckResponse {
  readonly passed: boolean;
  /** The checked files, relative to the root. */
  readonly files: readonly string[];
  readonly issues: readonly Issue[];
}

export interface RepositoryCheck {
  readonly response: RepositoryCheckResponse;
  readonly report: Report;
}

const CHECKS = ["layout", "ecosystem", "env", "keys", "deployments", "startup"];

/** Everything that the repository has. Findings that depend on this machine are left to `svcm doctor`. */
export const repositoryCheck = defineOperation({
  id: "repository.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: SetupPorts, { paths, strict }, caller): Promise<RepositoryCheck> {
    const { root } = ports.workspace;
    const survey = await ports.survey.read(root);
    const declarations = await readDeclarations(ports);
    const { project, vocabulary } = declarations;
    const places = vocabulary ? await gatherFiles(ports, vocabulary, project, survey) : [];
    const templates = templatePaths(root, project);
    const hasDeployments =
      vocabulary !== undefined && ports.stamps.missing([documentPath(ports, DEPLOYMENTS_FILE)]).size === 0;
    const existing = places.filter(({ exists }) => exists).map(({ path }) => path);
    const isReadable = (path: string): boolean => !isEncrypted(survey.files.get(path) ?? "");
    const files = [
      ...(survey.files.has(PROJECT_FILE) ? [PROJECT_FILE] : []),
      ...new Set([...existing.filter(isReadable), ...templates.filter((path) => survey.files.has(path))]),
      ...(hasDeployments ? [DEPLOYMENTS_FILE] : []),
    ];
    const requested = paths.map((path) => rootRelative(root, resolvePath(root, path)) || ".");
    const selected = selectFiles(
      files,
      requested.map((path) => (path === root ? "." : path)),
    );
    const { found, apps, isEmpty } = await checkFiles(ports, { declarations, survey, places, offline: true });
    const all = [
      ...Object.values(found).flat(),
      ...(vocabulary ? checkTemplates(vocabulary.contract, templates, survey) : []),
      ...(hasDeployments ? await checkDeployments(ports, caller) : []),
      ...(vocabulary ? await checkStartups(ports, { apps, places, caller }) : []),
    ];
    const issues = sortIssues(selectIssues(all, selected, requested));
    if (files.length === 0 && (isEmpty || issues.length === 0)) throw nothingToCheck(root);
    const subjects = CHECKS.map((name) => ({ name, path: [name] }));
    const text = survey.files.get(PROJECT_FILE) ?? "";
    return {
      response: { passed: isPassed(issues, strict), files: selected, issues },
      report: { file: PROJECT_FILE, text, issues, subjects },
    };
  },
});

/** A success would say that something was checked. */
function nothingToCheck(root: string): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    code: "CHECK_NOTHING",
    path: root,
    details: `There is nothing to check in ${root}: no svcm.yaml, ecosystem file, env file or deployments.yaml.`,
    hint: "svcm init sets a repository up; --root names another one.",
  });
}

/** `deployments.yaml`, if the repository has one. */
async function checkDeployments(ports: HasFacts & HasFiles & HasWorkspace, caller: Caller): Promise<readonly Issue[]> {
  try {
    const { response } = await deploymentsCheck.run(ports, { file: DEPLOYMENTS_FILE }, caller);
    return response.issues.map((issue) => ({ ...issue, path: ["deployments", ...issue.path] }));
  } catch (error) {
    return toFailureIssues("deployments", error, ports.workspace.root);
  }
}

/** Templates below the root, by path. */
function templatePaths(root: string, project: Project | undefined): string[] {
  const paths = Object.values(project?.services ?? {}).flatMap(({ folder, template }) =>
    template === undefined ? [] : [rootRelative(root, resolvePath(resolvePath(root, folder), template))],
  );
  return [...new Set(paths)];
}

/** A template may leave out keys, and hold values that every user replaces. */
export function checkTemplate(contract: RuntimeContract, path: string, text: string): Issue[] {
  const values = valuesOf(parseEnvDocument(text));
  const isToReplace = (key: unknown): boolean => {
    const value = values.get(String(key)) ?? "";
    return value === "" || isPlaceholder(value);
  };
  return checkEnvFiles(contract, [{ text, fileName: path }])
    .filter(({ code, path: [key] }) => code !== "ENV_KEY_MISSING" && !isToReplace(key))
    .map((issue) => ({ ...issue, path: ["env", ...issue.path] }));
}

function checkTemplates(contract: RuntimeContract, paths: readonly string[], { files }: Survey): Issue[] {
  return paths.flatMap((path): Issue[] => {
    const text = files.get(path);
    const at = { file: PROJECT_FILE, line: 1, column: 1 };
    const message = `svcm.yaml names the template ${path}, which does not exist or is too large`;
    if (text === undefined)
      return [{ code: "PROJECT_FILE_MISSING", severity: "warning", path: ["env", path], message, at }];
    return checkTemplate(contract, path, text);
  });
}

/** The suffix of an app's name says which entrypoint it starts. @see config/capability-matrix.yaml */
const ENTRYPOINT_OF_SUFFIX = { restapi: "rest", websocketapi: "websocket", grpcapi: "grpc" } as const satisfies Record<
  string,
  (typeof entrypoints)[number]
>;

interface StartedApp {
  readonly name: string;
  readonly environment: string;
  readonly service: string;
}

/** Of each app that is named after an entrypoint, in each environment that has an env file. */
async function checkStartups(ports: Repository & HasHost, { apps, places, caller }: StartupContext): Promise<Issue[]> {
  const requests = readableRequests(places, "env");
  const issues: Issue[] = [];
  for (const { environment = "", service = "" } of requests)
    for (const app of apps.filter((one) => one.environment === environment && one.service === service))
      issues.push(...(await checkStartup(ports, app, caller)));
  return issues;
}

interface StartupContext {
  readonly apps: readonly StartedApp[];
  readonly places: readonly ConfiguredFile[];
  readonly caller: Caller;
}

async function checkStartup(ports: Repository & HasHost, app: StartedApp, caller: Caller): Promise<Issue[]> {
  const { name, environment, service } = app;
  const suffix = name.split("-").at(-1) ?? "";
  if (!isSuffix(suffix)) return [];
  const entrypoint = ENTRYPOINT_OF_SUFFIX[suffix];
  try {
    const request = { environment, service: service === "" ? undefined : service, entrypoint, app: name };
    const { issues } = await startupCheck.run(ports, request, caller);
    return issues.map((issue) => ({
      ...issue,
      path: ["startup", name, ...issue.path],
      message: `${name} in ${environment}: ${issue.message}`,
    }));
  } catch (error) {
    // A repository with its own keys has no startup contract.
    if (error instanceof SvcmError && error.body.code === "STARTUP_KEYS_UNDECLARED") return [];
    return toFailureIssues("startup", error, ports.workspace.root);
  }
}

function isSuffix(suffix: string): suffix is keyof typeof ENTRYPOINT_OF_SUFFIX {
  return Object.hasOwn(ENTRYPOINT_OF_SUFFIX, suffix);
}

/**
 * The files at or below these paths, which are relative to the root.
 * @throws {SvcmError} INVALID_REQUEST with the code CHECK_PATH_UNKNOWN, because nothing would be checked
 */
function selectFiles(files: readonly string[], paths: readonly string[]): string[] {
  const unknown = paths.find((path) => !files.some((file) => isWithin(file, path)));
  if (unknown !== undefined) {
    throw new SvcmError("INVALID_REQUEST", {
      code: "CHECK_PATH_UNKNOWN",
      details: `svcm check does not know the file ${JSON.stringify(unknown.slice(0, 200))}. Accepted: ${files.join(", ") || "no file"}.`,
      hint:
        didYouMean(unknown, files) ??
        "svcm env check --file checks any env file, and svcm validate any deployments document.",
    });
  }
  return paths.length === 0 ? [...files] : files.filter((file) => paths.some((path) => isWithin(file, path)));
}

/** An error without a place may have kept a file from being checked. */
function selectIssues(issues: readonly Issue[], selected: readonly string[], paths: readonly string[]): Issue[] {
  if (paths.length === 0) return [...issues];
  return issues.filter(({ at, severity }) => (at === undefined ? severity === "error" : selected.includes(at.file)));
}

function isWithin(file: string, path: string): boolean {
  return path === "." || file === path || file.startsWith(`${path}/`);
}

export function isPassed(issues: readonly Issue[], strict: boolean): boolean {
  return issues.every(({ severity }) => severity === "warning" && !strict);
}
