import type { HasHost, HasRevisions } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { HasInstallation } from "../port-installation.ts";
import type { Issue } from "../../api/issue.ts";
import { vocabularyOf } from "../../deployments/file.ts";
import type { Vocabulary } from "../../deployments/vocabulary.ts";
import type { Project } from "../../project/project.ts";
import { baseName } from "../../words/path.ts";
import { detect } from "../detect/detect.ts";
import type { Survey } from "../detect/survey.ts";
import { examine, type ConfiguredFile } from "./examine.ts";
import { checkEcosystems, checkEnvironments, toFailureIssues } from "./file-checks.ts";
import { doctorIssues } from "./rules.ts";

export interface Declarations {
  readonly project: Project | undefined;
  /** `undefined` if a declaration file is invalid. */
  readonly vocabulary: Vocabulary | undefined;
  readonly issues: readonly Issue[];
}

export async function readDeclarations(ports: HasFacts & HasWorkspace): Promise<Declarations> {
  try {
    const project = await ports.facts.project();
    return { project, vocabulary: await vocabularyOf(ports), issues: [] };
  } catch (error) {
    return {
      project: undefined,
      vocabulary: undefined,
      issues: toFailureIssues("layout", error, ports.workspace.root),
    };
  }
}

interface CheckContext {
  readonly declarations: Declarations;
  readonly survey: Survey;
  readonly places: readonly ConfiguredFile[];
  readonly offline: boolean;
}

export async function checkFiles(
  ports: Repository & HasHost & HasInstallation & HasRevisions,
  { declarations, survey, places, offline }: CheckContext,
) {
  const { project, vocabulary, issues } = declarations;
  if (vocabulary === undefined)
    return { apps: [], isEmpty: false, found: { layout: issues, ecosystem: [], env: [], keys: [] } };
  const detection = detect(survey);
  const { folderVariables } = ports.workspace;
  const envFiles = detection.env.map(({ path }) => path);
  const [tracked, unignored] = await Promise.all([
    ports.revisions.listTracked(envFiles),
    ports.revisions.listUnignored(envFiles),
  ]);
  const hasDotenvx = offline || hasTool(ports, survey);
  const examined = examine({ survey, detection, project, places, tracked, unignored, hasDotenvx, folderVariables });
  const checking = { ports, vocabulary, places, project, survey };
  const ecosystems = await checkEcosystems(checking, offline);
  const environments = await checkEnvironments(checking);
  const found = {
    layout: doctorIssues("layout", examined),
    ecosystem: [...doctorIssues("ecosystem", examined), ...ecosystems.issues],
    env: [...doctorIssues("env", examined), ...environments],
    keys: doctorIssues("keys", examined),
  };
  return { apps: ecosystems.apps, isEmpty: examined.isEmpty, found };
}

function hasTool({ installation }: HasInstallation, { files }: Survey): boolean {
  const manifests = [...files].filter(([path]) => baseName(path) === "package.json");
  return manifests.some(([, text]) => text?.includes('"@dotenvx/dotenvx"')) || installation.hasProgram("dotenvx");
}
