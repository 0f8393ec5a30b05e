import { shellQuote } from "../core/words/text.ts";
import * as Flags from "@oclif/core/flags";
import { isProductionName } from "../core/words/production.ts";
import {
  isOfFailedTask,
  optionsOfPlan,
  readPlanFile,
  renderPlan,
  rolloutApply,
  rolloutPlan,
  withChanges,
} from "../core/index.ts";
import { ecosystemFlags, SvcmCommand } from "./base.ts";
import { deadlineFlag, maxParallelFlag, nodeFlag } from "./terminal/node-command.ts";
import { readTimeout } from "./terminal/numbers.ts";
import {
  applyFlags,
  readTimeouts,
  planInput,
  planFlags,
  restartArgs,
  restartFlags,
  restartInput,
} from "./terminal/flags.ts";
import { requirePrompt, canPrompt, confirmChange, confirmName } from "./terminal/prompt.ts";
import { openLines, renderRelease } from "./terminal/release.ts";
import { fold } from "./terminal/table.ts";
import { renderIssues } from "./terminal/validation.ts";
import { paint, type Screen, stdoutScreen } from "./terminal/screen.ts";
import type { Plan, Release } from "../core/api/rollout.ts";

/** Without a step, everything is as declared only if nothing is unknown or held back. */
function renderResult(release: Release | null, plan: Plan, screen: Screen): string {
  const open = openLines(plan);
  const head = release === null ? (open.length === 0 ? "Nothing to do." : "No step.") : renderRelease(release);
  return fold([head, ...open].join("\n"), screen);
}

export default class Apply extends SvcmCommand {
  static override hiddenAliases = ["up"];
  static override summary = "Make PM2 run what an ecosystem file declares, step by step.";
  static override description =
    "Runs the steps of svcm plan in order, and verifies each in PM2's list before the next one. If a step fails, svcm stops and restores the former definitions of the touched apps. In a terminal, svcm shows the plan and asks. With --node, it applies on one node after another, and rolls back the changed nodes if one fails. Exits 1 if it was refused or everything runs as before, and 3 if something is half done.";
  static override examples = [
    "<%= config.bin %> apply --environment production",
    "<%= config.bin %> apply --environment production --plan 7f3a-9c21",
    "<%= config.bin %> apply --app api --yes",
    "<%= config.bin %> apply --environment production --node role=api --max-parallel 2 --min-healthy 30s",
  ];
  static override args = restartArgs;
  static override strict = false;
  static override flags = {
    ...ecosystemFlags,
    ...planFlags,
    ...restartFlags,
    plan: Flags.string({
      summary: "Id of the plan that you read. Refuse any other plan.",
      helpValue: "<id>",
      exclusive: ["node"],
    }),
    "plan-file": Flags.string({
      summary: "File that svcm plan --out wrote. Refuse any other plan.",
      helpValue: "<file>",
      exclusive: ["plan", "environment", "service", "restart", ...Object.keys(planFlags)],
      // Also exclusive, but oclif would list it twice in the usage.
      relationships: [{ type: "none", flags: ["node"] }],
    }),
    revert: Flags.boolean({
      allowNo: true,
      summary:
        "After a failure, restore the former definitions of the touched apps. Defaults to autoRevert of rollout.",
    }),
    save: Flags.boolean({ allowNo: true, default: true, summary: "Save the list that PM2 starts at boot." }),
    "switch-environment": Flags.boolean({
      summary: "Move running apps to another environment than that of the last apply.",
      default: false,
    }),
    "switch-checkout": Flags.boolean({ summary: "Take over running apps from another checkout on this machine." }),
    "allow-dirty": Flags.boolean({ summary: "Apply even if files differ from the commit.", default: false }),
    message: Flags.string({ char: "m", summary: "A note for the release.", helpValue: "<text>" }),
    node: nodeFlag,
    "max-parallel": maxParallelFlag,
    deadline: deadlineFlag,
    "min-healthy": Flags.string({
      summary: "Time that each new process has to stay online, for example 30s. Defaults to minHealthyTime of rollout.",
      helpValue: "<time>",
    }),
    ...applyFlags,
  };

  async run() {
    const { flags, argv } = await this.parse(Apply);
    const restart = restartInput(flags.restart, argv as string[]);
    const { message, revert, save } = flags;
    const minHealthyMs = readTimeout(flags["min-healthy"], "--min-healthy");
    const switchEnvironment = flags["switch-environment"] || undefined;
    const settings = {
      allowDirty: flags["allow-dirty"],
      switchEnvironment,
      switchCheckout: flags["switch-checkout"],
      message,
      revert,
      save,
      minHealthyMs,
      ...readTimeouts(flags),
    };
    if (flags.node !== undefined) {
      const { applyOnNodes } = await import("./terminal/rollout.ts");
      return applyOnNodes(this, "apply", flags, { ...planInput(flags), ...restart, ...settings });
    }
    const request = { ...planInput(flags), ...restart };
    const seen = await this.#readPlan(request, flags);
    if (seen === null) return undefined;
    const { plan = seen?.id ?? undefined } = flags;
    const planRequest = flags["plan-file"] !== undefined && seen !== undefined ? optionsOfPlan(seen) : request;
    const input = { ...planRequest, ...(plan !== undefined && { plan }), ...settings };
    const { release, ...rest } = await this.executeUntilStopped(rolloutApply, input).catch((error: unknown) => {
      throw withChanges(error, seen);
    });
    await this.#printResult(release, rest.plan, flags.yes || flags.plan !== undefined);
    return { release, ...rest };
  }

  /** @param isUnseen no user has read the plan at the terminal */
  async #printResult(release: Release | null, plan: Plan, isUnseen: boolean): Promise<void> {
    if (!plan.exists) {
      this.setExitCode(1);
      await this.logMissingEcosystem(plan);
    } else this.print((screen) => renderResult(release, plan, screen));
    const tasks = release === null ? [] : plan.steps.filter(isOfFailedTask);
    const runs = tasks.map(({ app }) => `svcm run ${shellQuote(app)}`).join(" && ");
    if (runs !== "") this.print((screen) => fold(`Next: ${runs}`, screen));
    // A user who agreed at the terminal has already seen them in the plan. An error that did not refuse it was accepted.
    const issues = plan.issues.filter(
      ({ severity, code }) => severity !== "error" && (release === null || code !== "DAEMON_DEAD"),
    );
    if (issues.length > 0 && isUnseen) this.print((screen) => renderIssues(issues, screen));
  }

  /** The plan that the user has read; null for a no; `undefined` if svcm has only its id, or none. */
  async #readPlan(
    planRequest: object,
    { yes, plan: id, "plan-file": file }: { yes: boolean; plan?: string | undefined; "plan-file"?: string | undefined },
  ): Promise<Plan | null | undefined> {
    if (file !== undefined) return await readPlanFile(await this.ports(), file);
    if (yes || id !== undefined) return undefined;
    requirePrompt(canPrompt(this), "svcm apply", "--plan or --yes");
    const plan = await this.execute(rolloutPlan, planRequest);
    this.log(fold(await renderPlan(plan, "text", paint), stdoutScreen()));
    if (!plan.changed) return plan;
    const { environment } = plan;
    const isAccepted = isProductionName(environment)
      ? await confirmName(this, `Apply this plan? Type the name ${environment} to go on:`, environment)
      : await confirmChange(this, "Apply this plan?");
    return isAccepted ? plan : null;
  }
}
