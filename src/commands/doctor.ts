import * as Flags from "@oclif/core/flags";
import { isValid, projectDoctor, firstIssues, locationText, toPrintable, type DoctorResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { formatFlag, printReport, issuesVerdict, issueText } from "./terminal/validation.ts";
import { fold } from "./terminal/table.ts";
import { paint, type Screen, withVerdict } from "./terminal/screen.ts";
import { andMore } from "../core/words/text.ts";

export default class Doctor extends SvcmCommand {
  static override summary = "Check the repository, the installation and PM2, and name the next steps.";
  static override description =
    "Shows the versions, the root and the files that svcm uses, and why. Then checks the layout, every ecosystem file and env file, the running processes and the keys. Each finding has a code, which svcm explain describes, and a next step. Exits 1 if there is an error. The only files of the repository that it runs are the ecosystem files, as svcm ecosystem check does. It shows no values, so you can attach the report to a bug report.";
  static override examples = [
    "<%= config.bin %> doctor",
    "<%= config.bin %> doctor --offline --format github",
    "<%= config.bin %> doctor --json",
  ];
  static override flags = {
    offline: Flags.boolean({ summary: "Skip PM2 and everything else that depends on this machine.", default: false }),
    format: formatFlag,
  };

  async run() {
    const { flags } = await this.parse(Doctor);
    const input = { version: this.config.version, offline: flags.offline };
    const { response, report } = await this.execute(projectDoctor, input);
    if (!isValid(response.issues)) this.setExitCode(1);
    if (this.jsonEnabled()) return response;
    if (flags.format === "text") this.print((screen) => doctorReport(response, screen));
    else await printReport(this, report, flags.format);
    return response;
  }
}

type Facts = DoctorResponse["facts"];
type EnvironmentFile = Facts["files"][number];
type Check = DoctorResponse["checks"][number];

function doctorReport(response: DoctorResponse, screen: Screen): string {
  const { facts, checks, issues } = response;
  const found = checks.flatMap((check) => checkLines(check, response));
  return fold(withVerdict(issuesVerdict(issues), [...found, "", ...factLines(facts)].join("\n")), screen);
}

const TITLES: Readonly<Record<Check["check"], string>> = {
  layout: "Layout",
  ecosystem: "Ecosystem files",
  env: "Env files",
  running: "PM2 and running processes",
  boot: "Boot and daemon",
  keys: "Keys",
};

function checkLines({ check, status }: Check, { issues, nextSteps }: DoctorResponse): string[] {
  const checkIssues = issues.filter(({ path }) => path[0] === check);
  const codes = [...new Set(checkIssues.map(({ code }) => code))];
  return [
    `${STATUS[status](status.padEnd(7))} ${paint.bold(TITLES[check])}`,
    ...codes.flatMap((code) => [
      ...issueLines(checkIssues.filter((issue) => issue.code === code)),
      ...(nextSteps[code] === undefined
        ? []
        : [`    ${paint.cyan("Next step:")} ${nextSteps[code].replaceAll("`", "")}`]),
    ]),
  ];
}

/** For each code, in the text report only. */
const MAX_ISSUES_PER_CODE = 8;

function issueLines(issues: DoctorResponse["issues"]): string[] {
  const { listed, more } = firstIssues(issues, MAX_ISSUES_PER_CODE);
  return [...listed.map(renderIssueWithPlace), ...andMore(more)].map((line) => `  ${line}`);
}

const STATUS = {
  ok: paint.green,
  warning: paint.yellow,
  error: paint.red,
  skipped: paint.dim,
} as const satisfies Record<Check["status"], (text: string) => string>;

function renderIssueWithPlace(issue: DoctorResponse["issues"][number]): string {
  const { at, message } = issue;
  const isWholeFile = at === undefined || (at.line === 1 && at.column === 1);
  const location = at === undefined ? "" : `${toPrintable(isWholeFile ? at.file : locationText(at))}: `;
  const isNamedInMessage = isWholeFile && at !== undefined && message.includes(at.file);
  return issueText(issue, isNamedInMessage ? "" : location);
}

function factLines(facts: Facts): string[] {
  const { svcm, node, platform, user, root, rootBy, pm2Home, pm2HomeBy, contract, auditFile } = facts;
  return [
    row("svcm", `${svcm}, Node.js ${node}, ${platform}, user ${user}`),
    row("Root", `${root} (${rootBy === null ? "the current folder" : `by ${rootBy}`})`),
    row("PM2", `${pm2Text(facts)}, PM2_HOME ${pm2Home} (${pm2HomeBy === null ? "the default" : `by ${pm2HomeBy}`})`),
    ...(facts.daemon === undefined ? [] : [row("Daemon", daemonText(facts.daemon))]),
    row("Keys", contract === null ? "not valid" : contractText(contract)),
    ...(facts.folders === null
      ? []
      : [row("Folders", `env files ${facts.folders.env}, ecosystem files ${facts.folders.ecosystem}`)]),
    ...fileLines(facts),
    ...(facts.service === undefined ? [] : [row("Service", serviceText(facts.service))]),
    row("Token", facts.hasToken ? "set" : "not set"),
    row("Audit", auditFile),
  ];
}

function pm2Text({ pm2: { code, refused } }: Facts): string {
  const others = refused.length === 0 ? "" : `; not used: ${refused.join("; ")}`;
  if (code === undefined) return `none that svcm may load${others}; to install it: npm install pm2`;
  return `${code.version} of ${code.by}, ${code.folder}${others}`;
}

function daemonText(daemon: NonNullable<Facts["daemon"]> | null): string {
  if (daemon === null) return "none answers";
  const { version, pid, owner } = daemon;
  return `${version ?? "no answer"}, pid ${pid ?? "unknown"}, owner ${owner}`;
}

function contractText({ source, keys, guesses }: NonNullable<Facts["contract"]>): string {
  return `${keys} in ${source === "packaged" ? "the packaged contract" : source}, ${guesses} of them guesses`;
}

function fileLines({ files, defaultEnvironment }: Facts): string[] {
  const nameOf = ({ environment, service }: EnvironmentFile): string =>
    `${service === "" ? "" : `${service} `}${environment}${environment === defaultEnvironment ? " (default)" : ""}`;
  return [...new Set(files.map(nameOf))].map((name, index) => {
    const environmentFiles = files.filter((place) => nameOf(place) === name);
    return row(index === 0 ? "Files" : "", `${name}: ${environmentFiles.map(fileText).join(", ")}`);
  });
}

function fileText({ path, exists, overridden }: EnvironmentFile): string {
  const later = overridden.length === 0 ? "" : ` (${overridden.join(", ")} overridden by a later file)`;
  return `${path}${exists ? later : " (missing)"}`;
}

function serviceText({ address, answer }: NonNullable<Facts["service"]>): string {
  const ANSWER_TEXTS = {
    nothing: "nothing listens there",
    svcm: "svcm serve answers",
    other: "another program answers",
  };
  return address === null ? "not valid" : `${address}, ${ANSWER_TEXTS[answer]}`;
}

function row(label: string, text: string): string {
  return `${label.padEnd(8)} ${toPrintable(text)}`;
}
