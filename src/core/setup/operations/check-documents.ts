import type { HasFiles, HasHost } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { Caller } from "../../access/operation.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import type { Issue } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import type { entrypoints } from "../../api/names.ts";
import { DEPLOYMENTS_FILE } from "../../deployments/file.ts";
import { deploymentsCheck } from "../../deployments/operations/deployments.ts";
import { checkEnvFiles } from "../../env/check.ts";
import { parseEnvDocument, valuesOf } from "../../env/document.ts";
import { PROJECT_FILE, type Project } from "../../project/project.ts";
import { resolvePath } from "../../project/resolve.ts";
import { isPlaceholder } from "../../secrets/secret-value.ts";
import { startupCheck } from "../../startup/operations/startup-check.ts";
import type { Survey } from "../detect/survey.ts";
import type { ConfiguredFile } from "../doctor/examine.ts";
import { toFailureIssues } from "../doctor/file-checks.ts";
import { readableRequests, rootRelative } from "../doctor/gather-files.ts";

/** `deployments.yaml`, if the repository has one. */
export async function checkDeployments(
  ports: HasFacts & HasFiles & HasWorkspace,
  caller: Caller,
): Promise<readonly Issue[]> {
  try {
    const { response } = await deploymentsCheck.run(ports, { file: DEPLOYMENTS_FILE }, caller);
    return response.issues.map((issue) => ({ ...issue, path: ["deployments", ...issue.path] }));
  } catch (error) {
    return toFailureIssues("deployments", error, ports.workspace.root);
  }
}

/** Templates below the root, by path. */
export function templatePaths(root: string, project: Project | undefined): string[] {
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

export function checkTemplates(contract: RuntimeContract, paths: readonly string[], { files }: Survey): Issue[] {
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
export async function checkStartups(
  ports: Repository & HasHost,
  { apps, places, caller }: StartupContext,
): Promise<Issue[]> {
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
