import type { SetupPorts } from "../ports.ts";
import { SvcmError } from "../../api/errors.ts";
import { sortIssues, type Issue } from "../../api/issue.ts";
import { defineOperation } from "../../access/operation.ts";
import { DEPLOYMENTS_FILE, documentPath } from "../../deployments/file.ts";
import { isEncrypted } from "../../env/document.ts";
import type { Report } from "../../findings/report.ts";
import { PROJECT_FILE } from "../../project/project.ts";
import { resolvePath } from "../../project/resolve.ts";
import { checkDeployments, checkStartups, checkTemplates, templatePaths } from "./check-documents.ts";
import { isPassed, selectFiles, selectIssues } from "../check/decide-check.ts";
import { checkFiles, readDeclarations } from "../doctor/check-files.ts";
import { gatherFiles, rootRelative } from "../doctor/gather-files.ts";

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
    const survey = await ports.survey(root);
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
