import * as Flags from "@oclif/core/flags";
import { projectInit, type InitResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { initReport } from "./terminal/init-report.ts";
import { canPrompt, confirm } from "./terminal/prompt.ts";

/** Every one of them works without a further choice. */
function nextLine({ found: { undecided } }: InitResponse): string {
  return undecided.length > 0
    ? "Next: decide about the files below undecided in svcm.yaml, then svcm init --confirm"
    : "Next: svcm doctor";
}

export default class Init extends SvcmCommand {
  static override summary = "Set svcm up in this repository: find its PM2 files, env files and keys.";
  static override description =
    "Runs no file of the repository, and neither shows nor writes values. Proposes svcm.yaml and the line .svcm/ in .gitignore, and writes them after you agree. A key whose value may be shown is a guess until you confirm it, and no key becomes editable. A second run adds new keys and files, and changes nothing else.";
  static override examples = [
    "<%= config.bin %> init",
    "<%= config.bin %> init --dry-run",
    "<%= config.bin %> init --only layout --dry-run",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ summary: "Show the proposal and write nothing.", exclusive: ["yes", "check"] }),
    yes: Flags.boolean({ char: "y", summary: "Write without asking.", exclusive: ["check"] }),
    check: Flags.boolean({ summary: "Write nothing; exit 1 if there is something to write." }),
    confirm: Flags.boolean({
      summary: "Remove the list of undecided PM2 files from svcm.yaml, and nothing else.",
      exclusive: ["only"],
    }),
    only: Flags.option({ summary: "Limit the proposal to this part.", options: ["layout", "keys"] as const })(),
  };

  async run(): Promise<InitResponse> {
    const { flags } = await this.parse(Init);
    const run = (write: boolean): Promise<InitResponse> =>
      this.execute(projectInit, { write, only: flags.only, confirm: flags.confirm });
    const proposal = await run(flags.yes);
    this.log(initReport(proposal));
    if (proposal.written.length > 0) this.log(nextLine(proposal));
    if (flags.yes || flags["dry-run"] || proposal.plan.length === 0) return proposal;
    if (!flags.check && canPrompt(this)) {
      if (!(await confirm(`Write ${proposal.plan.map(({ path }) => path).join(" and ")}?`)))
        return this.#refused(proposal);
      const done = await run(true);
      this.log(`Wrote ${done.written.join(" and ")}.\n\n${nextLine(done)}`);
      return done;
    }
    if (!flags.check)
      this.log("Nothing was written, because no terminal can answer the question.\nNext: svcm init --yes");
    this.setExitCode(1);
    return proposal;
  }

  #refused(proposal: InitResponse): InitResponse {
    this.log("Nothing was written.");
    this.setExitCode(1);
    return proposal;
  }
}
