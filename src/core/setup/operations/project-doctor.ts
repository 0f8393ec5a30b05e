import type { SetupPorts } from "../ports.ts";
import type { HasRevisions } from "../../files/port-revisions.ts";
import type { HasHost } from "../../files/port-host.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasInstallation } from "../port-installation.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import { isValid, sortIssues, type Issue } from "../../api/issue.ts";
import { vocabularyOf } from "../../deployments/file.ts";
import type { Vocabulary } from "../../deployments/vocabulary.ts";
import type { Report } from "../../findings/report.ts";
import { defineOperation } from "../../access/operation.ts";

import { bootIssues } from "../../boot/examine.ts";
import { readBootFacts } from "../../boot/read-facts.ts";
import { readDaemonFacts } from "../../boot/read-daemon.ts";
import type { Caller } from "../../access/caller.ts";
import { detect } from "../detect/detect.ts";
import type { Survey } from "../detect/survey.ts";
import { examine, type ConfiguredFile } from "../doctor/examine.ts";
import { collectFacts, type DoctorFacts } from "../doctor/facts.ts";
import { checkEcosystems, checkEnvironments, toFailureIssues } from "../doctor/file-checks.ts";
import { gatherFiles } from "../doctor/gather-files.ts";
import { doctorChecks, doctorIssues, type DoctorCheck } from "../doctor/rules.ts";
import { checkRunning } from "../doctor/running.ts";
import { PROJECT_FILE, type Project } from "../../project/project.ts";
import { baseName } from "../../words/path.ts";

export interface DoctorResponse {
  readonly facts: DoctorFacts;
  readonly checks: readonly { readonly check: DoctorCheck; readonly status: "ok" | "warning" | "error" | "skipped" }[];
  /** The first element of each path is the name of the check. */
  readonly issues: readonly Issue[];
  readonly nextSteps: Readonly<Record<string, string>>;
}

export interface DoctorAnswer {
  readonly response: DoctorResponse;
  readonly report: Report;
}

type IssuesByCheck = Readonly<Record<DoctorCheck, readonly Issue[]>>;

/**
 * Checks the repository, the installation and PM2. The ecosystem files are the only files of the repository that it
 * runs. It changes nothing, starts no daemon and returns no values.
 */
export const projectDoctor = defineOperation({
  id: "project.doctor",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: SetupPorts, { version, offline }, caller): Promise<DoctorAnswer> {
    const survey = await ports.survey(ports.workspace.root);
    const declarations = await readDeclarations(ports);
    const { project, vocabulary } = declarations;
    const places = vocabulary ? await gatherFiles(ports, vocabulary, project, survey) : [];
    const runtime = offline ? undefined : await readRuntime(ports);
    const files = await checkFiles(ports, { declarations, survey, places, offline });
    const found: IssuesByCheck = {
      ...files.found,
      running: runtime ? await checkRunning(ports, files.apps, runtime) : [],
      boot: runtime ? await checkBoot(ports, caller) : [],
    };
    const issues = doctorChecks.flatMap((check) => sortIssues(found[check]));
    const facts = collectFacts(ports, { version, project, vocabulary, places, runtime });
    return {
      response: { facts, checks: statuses(found, offline), issues, nextSteps: await nextSteps(issues) },
      report: {
        file: PROJECT_FILE,
        text: survey.files.get(PROJECT_FILE) ?? "",
        issues,
        subjects: doctorChecks.map((check) => ({ name: check, path: [check] })),
      },
    };
  },
});

interface Declarations {
  readonly project: Project | undefined;
  /** `undefined` if a declaration file is invalid. */
  readonly vocabulary: Vocabulary | undefined;
  readonly issues: readonly Issue[];
}

async function readDeclarations(ports: HasFacts & HasWorkspace): Promise<Declarations> {
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

/** Of the environment that this machine runs, as `svcm boot` compares it. */
async function checkBoot(ports: SetupPorts, caller: Pick<Caller, "limits">): Promise<Issue[]> {
  const place = { environment: undefined, service: undefined };
  const boot = await readBootFacts(ports, place, caller);
  return bootIssues(boot, await readDaemonFacts(ports, ports.daemons.libraryVersion), "boot");
}

async function readRuntime({ installation }: HasInstallation) {
  const [daemon, service] = await Promise.all([installation.daemon(), installation.service()]);
  return { daemon, service };
}

interface CheckContext {
  readonly declarations: Declarations;
  readonly survey: Survey;
  readonly places: readonly ConfiguredFile[];
  readonly offline: boolean;
}

async function checkFiles(
  ports: Repository & HasHost & HasInstallation & HasRevisions,
  { declarations, survey, places, offline }: CheckContext,
) {
  const { project, vocabulary, issues } = declarations;
  if (vocabulary === undefined) return { apps: [], found: { layout: issues, ecosystem: [], env: [], keys: [] } };
  const detection = detect(survey);
  const envFiles = detection.env.map(({ path }) => path);
  const tracked = new Set(await ports.revisions.listTracked(envFiles));
  const hasDotenvx = offline || hasTool(ports, survey);
  const examined = examine({ survey, detection, project, places, tracked, hasDotenvx });
  const checking = { ports, vocabulary, places, project, survey };
  const ecosystems = await checkEcosystems(checking, offline);
  const environments = await checkEnvironments(checking);
  const found = {
    layout: doctorIssues("layout", examined),
    ecosystem: [...doctorIssues("ecosystem", examined), ...ecosystems.issues],
    env: [...doctorIssues("env", examined), ...environments],
    keys: doctorIssues("keys", examined),
  };
  return { apps: ecosystems.apps, found };
}

function hasTool({ installation }: HasInstallation, { files }: Survey): boolean {
  const manifests = [...files].filter(([path]) => baseName(path) === "package.json");
  return manifests.some(([, text]) => text?.includes('"@dotenvx/dotenvx"')) || installation.hasProgram("dotenvx");
}

function statuses(found: IssuesByCheck, offline: boolean): DoctorResponse["checks"] {
  return doctorChecks.map((check) => {
    if ((check === "running" || check === "boot") && offline) return { check, status: "skipped" };
    const issues = found[check];
    return { check, status: isValid(issues) ? (issues.length > 0 ? "warning" : "ok") : "error" };
  });
}

async function nextSteps(issues: readonly Issue[]): Promise<Record<string, string>> {
  if (issues.length === 0) return {};
  const { findCodeDoc: docOf } = await import("../codes/catalog.ts");
  return Object.fromEntries(
    issues.flatMap(({ code }) => {
      const remedy = docOf(code)?.remedy;
      return remedy === undefined ? [] : [[code, remedy]];
    }),
  );
}
