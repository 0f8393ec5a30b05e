import * as Flags from "@oclif/core/flags";
import { deployPlan, planFormats, renderPlan, rolloutPlan, writePlanFile, type DeployPlan } from "../core/index.ts";
import { allowMissingFlag, ecosystemFlags, pickEnvironment } from "./base.ts";
import { executeAloud } from "./terminal/aloud.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { planInput, planFlags, restartArgs, restartFlags, restartInput } from "./terminal/flags.ts";
import { fold } from "./terminal/table.ts";
import { paint, unpainted, stdoutScreen } from "./terminal/screen.ts";

export default class Plan extends NodeCommand {
  static override summary = "Show the steps that would make PM2 run what an ecosystem file declares.";
  static override description =
    "Lists the steps in order, each with its reasons and its effect on requests. Names of variables are shown, never values. Changes nothing. With --from, compares the declarations of a Git revision with those of the work tree, without PM2; this runs the ecosystem file of that revision. With --ref, prepares the release of a revision, which runs its install and build, and shows what deploying it would change on this machine.";
  static override examples = [
    "<%= config.bin %> plan --environment production",
    "<%= config.bin %> plan -e production --app api --exit-code",
    "<%= config.bin %> plan --environment production --from origin/main --format markdown",
    "<%= config.bin %> plan --environment production --ref search-v2 --format markdown",
  ];
  static override args = restartArgs;
  static override strict = false;
  static override flags = {
    ...ecosystemFlags,
    ...planFlags,
    ...restartFlags,
    out: Flags.string({
      summary: "Also write the plan to a file in the repository, for svcm apply --plan-file.",
      helpValue: "<file>",
      exclusive: ["node"],
    }),
    ref: Flags.string({
      summary:
        "Branch, tag or commit: prepare its release as svcm deploy does, and show what deploying it would change.",
      helpValue: "<revision>",
      exclusive: ["from", "node", "out", "app", "restart"],
    }),
    from: Flags.string({ summary: "Git revision to compare with, instead of PM2.", helpValue: "<revision>" }),
    format: Flags.option({
      options: planFormats,
      summary: "Text for a terminal, or Markdown for a comment on a pull request.",
    })({ default: "text" }),
    "exit-code": Flags.boolean({ summary: "Exit 1 if the plan has steps, or an app is held back.", default: false }),
    strict: Flags.boolean({
      summary: "With --exit-code, also exit 1 if it is unknown what an app runs.",
      default: false,
      dependsOn: ["exit-code"],
    }),
    "allow-missing": allowMissingFlag,
  };

  async run() {
    const { flags, argv } = await this.parse(Plan);
    const { from, format, out } = flags;
    const restart = restartInput(flags.restart, argv as string[]);
    const prepared = flags.ref === undefined ? undefined : await this.#prepare(flags.ref, flags);
    const plan = prepared?.plan ?? (await this.execute(rolloutPlan, { ...planInput(flags), ...restart, from }));
    if (out !== undefined && plan.exists) await writePlanFile(await this.ports(), out, plan);
    if (isFailure(plan, flags)) this.setExitCode(1);
    if (!plan.exists) await this.logMissingEcosystem(plan);
    else if (!this.jsonEnabled()) {
      const head = prepared === undefined ? "" : `${headText(prepared)}\n\n`;
      if (format === "text") this.log(fold(`${head}${await renderPlan(plan, "text", paint)}`, stdoutScreen()));
      else this.logExactly(`${head}${await renderPlan(plan, format, unpainted)}`);
    }
    return plan;
  }

  #prepare(revision: string, flags: EcosystemFlags & { readonly prune: boolean }): Promise<DeployPlan> {
    const input = { ...pickEnvironment(flags), revision, prune: flags.prune || undefined };
    return executeAloud(this, deployPlan, input);
  }
}

type EcosystemFlags = Parameters<typeof pickEnvironment>[0];

/** Also of a comment, so the message of the commit is left out. */
function headText({ commit, from }: DeployPlan): string {
  return `Deploying ${commit.slice(0, 7)} ${from === null ? "for the first time" : `over ${from.slice(0, 7)}`} on this machine:`;
}

type PlanResult = Pick<Awaited<ReturnType<typeof rolloutPlan.run>>, "changed" | "exists" | "held" | "unknown">;

function isFailure(
  { changed, exists, held, unknown }: PlanResult,
  flags: { readonly "exit-code": boolean; readonly strict: boolean; readonly "allow-missing": boolean },
): boolean {
  if (!exists && !flags["allow-missing"]) return true;
  const isDifferent = changed || held.length > 0 || (flags.strict && unknown.length > 0);
  return flags["exit-code"] && isDifferent;
}
