import type { SetupPorts, HasInstallation } from "../ports.ts";
import { isValid, sortIssues, type Issue } from "../../api/issue.ts";
import type { Report } from "../../findings/rule.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";

import { bootIssues } from "../../boot/examine.ts";
import { readBootFacts, readDaemonFacts } from "../../boot/read-facts.ts";
import { checkFiles, readDeclarations, doctorChecks, emptyIssues, type DoctorCheck } from "../doctor/rules.ts";
import { collectFacts, type DoctorFacts, checkRunning } from "../doctor/facts.ts";
import { gatherFiles } from "../doctor/file-checks.ts";
import { readRunning } from "../running-apps.ts";
import { PROJECT_FILE } from "../../project/project.ts";
import { once } from "../../words/once.ts";
import { withMembers } from "../../words/record.ts";

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
  async run(given: SetupPorts, { version, offline }, caller): Promise<DoctorAnswer> {
    const ports = listingOnce(given);
    const survey = await ports.survey.read(ports.workspace.root);
    const declarations = await readDeclarations(ports);
    const { project, vocabulary } = declarations;
    const places = vocabulary ? await gatherFiles(ports, vocabulary, project, survey) : [];
    const runtime = offline ? undefined : await readRuntime(ports);
    const running = offline ? [] : await readRunning(ports);
    const files = await checkFiles(ports, { declarations, survey, places, offline, running });
    const found: IssuesByCheck = {
      ...files.found,
      layout: [...emptyIssues(files.isEmpty), ...files.found.layout],
      running: runtime ? [...files.found.running, ...(await checkRunning(ports, files.apps, runtime))] : [],
      boot: runtime ? await checkBoot(ports, caller) : [],
    };
    const issues = doctorChecks.flatMap((check) => sortIssues(found[check]));
    const facts = collectFacts(ports, {
      version,
      project,
      vocabulary,
      places,
      runtime,
      pm2: await ports.installation.pm2(),
    });
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

/** So that all checks see the same processes. */
function listingOnce(ports: SetupPorts): SetupPorts {
  const list = once(() => ports.processes.list());
  return withMembers(ports, { processes: withMembers(ports.processes, { list }) });
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
  // A killed daemon needs its saved list, an absent one only an app.
  const isDead = issues.some(({ code }) => code === "DAEMON_DEAD");
  return Object.fromEntries(
    issues.flatMap(({ code }) => {
      if (isDead && code === "PM2_NOT_RUNNING") return [];
      const remedy = docOf(code)?.remedy;
      return remedy === undefined ? [] : [[code, remedy]];
    }),
  );
}
