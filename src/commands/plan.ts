import * as Flags from "@oclif/core/flags";
import { planFormats, renderPlan, rolloutPlan, writePlanFile } from "../core/index.ts";
import { allowMissingFlag, ecosystemFlags } from "./base.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { planInput, planFlags, restartArgs, restartFlags, restartInput } from "./terminal/flags.ts";
import { fold } from "./terminal/fit.ts";
import { paint, unpainted } from "./terminal/paint.ts";
import { stdoutScreen } from "./terminal/screen.ts";

export default class Plan extends NodeCommand {
  static override summary = "Show the steps that would make PM2 run what an ecosystem file declares.";
  static override description =
    "Lists the steps in order, each with its reasons and its effect on requests. Names of variables are shown, never values. Changes nothing. With --from, compares the declarations of a Git revision with those of the work tree, without PM2; this runs the ecosystem file of that revision.";
  static override examples = [
    "<%= config.bin %> plan --environment production",
    "<%= config.bin %> plan --app dev-restapi --exit-code",
    "<%= config.bin %> plan --environment production --from origin/main --format markdown",
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
    const plan = await this.execute(rolloutPlan, { ...planInput(flags), ...restart, from });
    if (out !== undefined && plan.exists) await writePlanFile(await this.ports(), out, plan);
    if (isFailure(plan, flags)) this.setExitCode(1);
    if (!plan.exists) await this.logMissingEcosystem(plan);
    else if (!this.jsonEnabled()) {
      if (format === "text") this.log(fold(await renderPlan(plan, "text", paint), stdoutScreen()));
      else this.logExactly(await renderPlan(plan, format, unpainted));
    }
    return plan;
  }
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
