import { describeGuesses } from "../../project/keys.ts";
import {
  type DoctorRule,
  isSameGroup,
  type RepositoryState,
  examine,
  loadersOf,
  type ConfiguredFile,
} from "./examine.ts";
import type { Issue } from "../../api/issue.ts";
import { overrideText } from "../../project/folder-variables.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import { baseName, nameList } from "../../words/text.ts";
import type { HasHost, HasRevisions } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { HasInstallation } from "../ports.ts";
import { vocabularyOf, type Vocabulary } from "../../deployments/file.ts";
import type { Project } from "../../project/project.ts";
import { detect } from "../detect/detect.ts";
import type { RunningApp } from "../detect/pm2-file.ts";
import type { HasSurvey, Survey } from "../detect/survey.ts";
import type { HasDeployed } from "../../rollout/port-deployed.ts";
import { checkEcosystems, checkEnvironments, toFailureIssues } from "./file-checks.ts";

const ofFile = (file: string, message: string) => ({ path: [file], file, message });

const notSetUp: DoctorRule = {
  code: "PROJECT_NOT_SET_UP",
  severity: "error",
  *check({ isSetUp, unnamed }) {
    if (isSetUp) return;
    yield { message: `the repository has no svcm.yaml, so svcm does not use ${nameList(unnamed)}` };
  },
};

const unnamedFiles: DoctorRule = {
  code: "PROJECT_FILE_UNNAMED",
  severity: "warning",
  check: ({ isSetUp, unnamed }) => (isSetUp ? unnamed.map((file) => ofFile(file, `no environment names ${file}`)) : []),
};

const missingFiles: DoctorRule = {
  code: "PROJECT_FILE_MISSING",
  severity: "error",
  *check({ places }) {
    for (const place of places) {
      const { kind, environment, path, exists } = place;
      const hasLayer = kind === "env" && places.some((other) => other.exists && isSameGroup(other, place));
      if (exists || hasLayer) continue;
      const what = kind === "env" ? "env file" : "ecosystem file";
      const message = `the ${what} ${path} of the environment ${environment} does not exist`;
      yield { path: [environment, path], message, ...(kind === "env" && { severity: "warning" }) };
    }
  },
};

const bareEnvironments: DoctorRule = {
  code: "PROJECT_ENVIRONMENT_BARE",
  severity: "warning",
  check: ({ bareEnvironments: names }) =>
    names.map((name) => ({
      path: [name],
      message: `the environment ${name} has neither an env file nor an ecosystem file`,
    })),
};

const overriddenFolders: DoctorRule = {
  code: "PROJECT_FOLDER_OVERRIDDEN",
  severity: "warning",
  check: ({ overrides }) => overrides.map((one) => ({ path: [one.variable], message: overrideText(one) })),
};

const scriptLikeFiles: DoctorRule = {
  code: "PROJECT_FILE_AS_SCRIPT",
  severity: "warning",
  check: ({ scripts }) =>
    scripts.map((file) => ofFile(file, `PM2 would run ${file} as a script, not read it as a declaration`)),
};

const guessedKeys: DoctorRule = {
  code: "PROJECT_KEYS_GUESSED",
  severity: "warning",
  *check({ guesses }) {
    if (guesses.length === 0) return;
    yield { message: `${describeGuesses(guesses.length)}: ${nameList(guesses)}` };
  },
};

const trackedSecrets: DoctorRule = {
  code: "PROJECT_SECRET_TRACKED",
  severity: "warning",
  check: ({ tracked }) =>
    tracked.map(({ path, keys }) => ofFile(path, `Git tracks ${path}, which holds ${nameList(keys)}`)),
};

const unignoredSecrets: DoctorRule = {
  code: "PROJECT_SECRET_NOT_IGNORED",
  severity: "warning",
  check: ({ unignored }) =>
    unignored.map(({ path, keys }) => ofFile(path, `Git does not ignore ${path}, which holds ${nameList(keys)}`)),
};

const publicSecrets: DoctorRule = {
  code: "PROJECT_SECRET_PUBLIC",
  severity: "warning",
  check: ({ publicSecrets: keys }) =>
    keys.map((key) => ({ path: [key], message: `${key} is named like a secret, and its prefix makes it public` })),
};

const unsetKeys: DoctorRule = {
  code: "PROJECT_KEYS_UNSET",
  severity: "warning",
  *check({ unsetKeys: keys }) {
    if (keys.length > 0) yield { message: `the code reads ${nameList(keys)}, which no file sets` };
  },
};

const unusedKeys: DoctorRule = {
  code: "PROJECT_KEYS_UNUSED",
  severity: "warning",
  *check({ unusedKeys: keys }) {
    if (keys.length > 0) yield { message: `env files set ${nameList(keys)}, which no other file mentions` };
  },
};

const unloadedFiles: DoctorRule = {
  code: "ENV_FILE_UNLOADED",
  severity: "warning",
  check: ({ unloaded }) =>
    unloaded.map((file) =>
      ofFile(
        file,
        `nothing in the repository seems to load ${file}: no file mentions dotenv, --env-file or loadEnvFile`,
      ),
    ),
};

const undecryptableFiles: DoctorRule = {
  code: "PROJECT_DOTENVX_MISSING",
  severity: "warning",
  check: ({ undecryptable }) =>
    undecryptable.map((file) => ofFile(file, `${file} is encrypted, and dotenvx is not installed`)),
};

const undeclaredApps: DoctorRule = {
  code: "PROJECT_APPS_UNDECLARED",
  severity: "warning",
  *check({ undeclaredApps: names }) {
    if (names.length === 0) return;
    const [verb, them] = names.length === 1 ? ["runs", "it"] : ["run", "them"];
    yield {
      message: `${nameList(names)} ${verb} without an ecosystem file, so plan, apply and drift leave ${them} out`,
    };
  },
};

/** In report order. `running` and `boot` depend on this machine. */
export const doctorChecks = ["layout", "ecosystem", "env", "running", "boot", "keys"] as const;
export type DoctorCheck = (typeof doctorChecks)[number];

export const doctorRules: Readonly<Record<DoctorCheck, readonly DoctorRule[]>> = {
  layout: [notSetUp, overriddenFolders, unnamedFiles, missingFiles, bareEnvironments],
  ecosystem: [scriptLikeFiles],
  env: [trackedSecrets, unignoredSecrets, publicSecrets, unsetKeys, unusedKeys, unloadedFiles, undecryptableFiles],
  running: [undeclaredApps],
  boot: [],
  keys: [guessedKeys],
};

/** A report about the machine says it, too; a check has no file to name and is refused. */
export function emptyIssues(isEmpty: boolean): Issue[] {
  const message = "no svcm.yaml, ecosystem file or env file is here, so no app is examined";
  return isEmpty ? [{ code: "PROJECT_EMPTY", severity: "warning", path: ["layout"], message }] : [];
}

export function doctorIssues(check: DoctorCheck, examined: RepositoryState): Issue[] {
  return Array.from(findingsOf(doctorRules[check], examined), ({ file, ...finding }) => ({
    ...toIssue(finding, [check]),
    ...(file !== undefined && { at: { file, line: 1, column: 1 } }),
  }));
}

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
  readonly running?: readonly RunningApp[];
}

export async function checkFiles(
  ports: Repository & HasDeployed & HasHost & HasInstallation & HasRevisions & HasSurvey,
  { declarations, survey, places, offline, running = [] }: CheckContext,
) {
  const { project, vocabulary, issues } = declarations;
  if (vocabulary === undefined)
    return { apps: [], isEmpty: false, found: { layout: issues, ecosystem: [], env: [], running: [], keys: [] } };
  const detection = detect(survey);
  const { folderVariables } = ports.workspace;
  const envFiles = detection.env.map(({ path }) => path);
  const [tracked, unignored] = await Promise.all([
    ports.revisions.listTracked(envFiles),
    ports.revisions.listUnignored(envFiles),
  ]);
  const hasDotenvx = offline || hasTool(ports, survey);
  const git = { tracked, unignored };
  const examined = examine({ survey, detection, project, places, ...git, hasDotenvx, folderVariables, running });
  const state = { ...examined, ...(await confirmUnmentioned(ports, examined)) };
  const checking = { ports, vocabulary, places, project, survey };
  const ecosystems = await checkEcosystems(checking, offline);
  const environments = await checkEnvironments(checking);
  const found = {
    layout: doctorIssues("layout", state),
    ecosystem: [...doctorIssues("ecosystem", state), ...ecosystems.issues],
    env: [...doctorIssues("env", state), ...environments],
    running: doctorIssues("running", state),
    keys: doctorIssues("keys", state),
  };
  return { apps: ecosystems.apps, isEmpty: examined.isEmpty, found };
}

/** The survey reads some files, and these answers need all of them. */
async function confirmUnmentioned(
  { survey, workspace: { root } }: HasSurvey & HasWorkspace,
  state: RepositoryState,
): Promise<Pick<RepositoryState, "unusedKeys" | "unloaded">> {
  const loaders = state.unloaded.length === 0 ? [] : loadersOf(state.unloaded);
  const open = new Set(await survey.unmentioned(root, [...state.unusedKeys, ...loaders]));
  return {
    unusedKeys: state.unusedKeys.filter((key) => open.has(key)),
    unloaded: loaders.every((word) => open.has(word)) ? state.unloaded : [],
  };
}

function hasTool({ installation }: HasInstallation, { files }: Survey): boolean {
  const manifests = [...files].filter(([path]) => baseName(path) === "package.json");
  return manifests.some(([, text]) => text?.includes('"@dotenvx/dotenvx"')) || installation.hasProgram("dotenvx");
}
