import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { repositoryCheck, type RepositoryCheckResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { formatFlag, issuesVerdict, printReport, renderIssueLines } from "./terminal/validation.ts";
import { paint, type Screen, withVerdict } from "./terminal/screen.ts";

export default class Check extends SvcmCommand {
  static override summary = "Check everything that the repository has, in one report.";
  static override description =
    "Checks svcm.yaml, every ecosystem file with PM2's own validation, every env file and template, deployments.yaml, and the startup contract of the apps that have one. With PATH, reports only these files or folders. Findings that depend on this machine, such as missing builds, are left to svcm doctor. Exits 1 if there is an error.";
  static override examples = [
    "<%= config.bin %> check",
    "<%= config.bin %> check --strict --format github",
    "<%= config.bin %> check deployments.yaml --json",
  ];
  static override strict = false;
  static override args = {
    path: Args.string({ ignoreStdin: true, description: "File or folder, relative to the root. Can be repeated." }),
  };
  static override flags = {
    strict: Flags.boolean({ summary: "Also exit 1 if there is a warning.", default: false }),
    format: formatFlag,
  };

  async run() {
    const { flags, argv } = await this.parse(Check);
    const { strict, format } = flags;
    const { response, report } = await this.execute(repositoryCheck, { paths: argv as string[], strict });
    if (!response.passed) this.setExitCode(1);
    if (this.jsonEnabled()) return response;
    if (format === "text") this.print((screen) => checkText(response, screen));
    else await printReport(this, report, format);
    return response;
  }
}

function checkText({ files, issues }: RepositoryCheckResponse, screen: Screen): string {
  const checked = files.length === 1 ? "1 file" : `${files.length} files`;
  if (issues.length === 0) return paint.green(`${checked} checked, no finding: ${files.join(", ")}.`);
  return withVerdict(issuesVerdict(issues, `${checked} checked: `), renderIssueLines(issues, screen));
}
