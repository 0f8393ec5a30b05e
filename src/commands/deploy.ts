import { resolve } from "node:path";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { deployPlan, deployRun, renderPlan, SvcmError, type DeployPlan } from "../core/index.ts";
import { isProductionName } from "../core/words/production.ts";
import { ecosystemFlags, pickEnvironment, SvcmCommand } from "./base.ts";
import { executeAloud } from "./terminal/aloud.ts";
import { renderDeploy, renderPrepared } from "./terminal/rollout.ts";
import { fold } from "./terminal/table.ts";
import { applyFlags, planFlags, readTimeouts } from "./terminal/flags.ts";
import { deadlineFlag, maxParallelFlag, nodeFlag } from "./terminal/node-command.ts";
import { paint } from "./terminal/screen.ts";
import { canPrompt, confirmChange, confirmName, requirePrompt } from "./terminal/prompt.ts";

export default class Deploy extends SvcmCommand {
  static override summary = "Make a commit run: prepare a release folder, check it, and roll it in.";
  static override description =
    "Fetches the commit, installs and builds it in a separate folder while the former release serves, checks it, and applies its ecosystem file as svcm apply does. If anything fails, the former code and configuration serve on. svcm rollback goes back over both. In a terminal, svcm shows the plan and asks. With --node, every node prepares first, then one after another applies; if one fails, those before it go back. Exits 1 if everything runs as before, and 3 if something is half done.";
  static override examples = [
    "<%= config.bin %> deploy --environment production",
    "<%= config.bin %> deploy v1.4.0 --environment production --dry-run",
    "<%= config.bin %> deploy v1.4.0 --environment production --yes",
    "<%= config.bin %> deploy --from shop-1.4.0.tgz --environment production --yes",
    "<%= config.bin %> deploy v1.4.0 --environment production --node role=api --yes",
  ];
  static override args = {
    revision: Args.string({
      ignoreStdin: true,
      description: "Branch, tag or commit. Defaults to the branch that the checkout follows.",
    }),
  };
  static override flags = {
    ...ecosystemFlags,
    from: Flags.string({
      summary:
        "Deploy this tarball or folder, which is built already, instead of a commit. With --node, each node needs it.",
      helpValue: "<path>",
    }),
    prune: planFlags.prune,
    "dry-run": Flags.boolean({
      summary: "Prepare and check the release, show the plan, and apply nothing.",
      default: false,
    }),
    retry: Flags.boolean({
      allowNo: true,
      default: true,
      summary: "--no-retry is for timers: leave a commit alone whose apply failed here, or was rolled back.",
      exclusive: ["node"],
    }),
    adopt: Flags.boolean({
      summary:
        "As --dry-run, for the first deploy: also show what svcm takes over, and files that are neither shared nor left.",
      default: false,
      exclusive: ["node"],
    }),
    plan: Flags.string({
      summary: "Id of the plan that you read. Refuse any other plan.",
      helpValue: "<id>",
      exclusive: ["node"],
    }),
    "switch-environment": Flags.boolean({
      summary: "Move running apps to another environment than that of the last apply.",
      default: false,
    }),
    "switch-checkout": Flags.boolean({ summary: "Take over running apps from another checkout on this machine." }),
    message: Flags.string({
      char: "m",
      summary: "A note for the release. Defaults to the first line of the commit's message.",
      helpValue: "<text>",
    }),
    node: nodeFlag,
    "max-parallel": maxParallelFlag,
    deadline: deadlineFlag,
    ...applyFlags,
  };

  async run() {
    const { args, flags } = await this.parse(Deploy);
    const { lockTimeoutMs, timeoutMs } = readTimeouts(flags);
    const prune = flags.prune || undefined;
    const retry = flags.retry ? undefined : false;
    const code = chooseCode(args.revision, flags.from, flags.node === undefined);
    const request = { ...pickEnvironment(flags), ...code, prune, retry, lockTimeoutMs };
    const { plan, message } = flags;
    const switchEnvironment = flags["switch-environment"] || undefined;
    const choices = { switchEnvironment, switchCheckout: flags["switch-checkout"], message, timeoutMs };
    if (flags.node !== undefined) {
      const { applyOnNodes } = await import("./terminal/rollout.ts");
      return await applyOnNodes(this, "deploy", flags, { ...request, ...choices });
    }
    if (flags["dry-run"] || flags.adopt) return await this.#prepare({ ...request, adopt: flags.adopt || undefined });
    const seen = flags.yes || flags.plan !== undefined ? {} : await this.#confirmPlan(request);
    if (seen === undefined) return undefined;
    const input = { ...request, ...choices, plan, ...seen };
    const result = await executeAloud(this, deployRun, input);
    this.print((screen) => fold(renderDeploy(result), screen));
    return result;
  }

  async #prepare(request: DeployRequest): Promise<DeployPlan> {
    const prepared = await executeAloud(this, deployPlan, request);
    const plan = await renderPlan(prepared.plan, "text", paint);
    this.print((screen) => fold(`${renderPrepared(prepared)}\n${plan}`, screen));
    return prepared;
  }

  /** Returns the accepted commit and plan; `undefined` for a no. */
  async #confirmPlan(request: DeployRequest): Promise<{ revision?: string; plan?: string } | undefined> {
    requirePrompt(canPrompt(this), "svcm deploy", "--plan or --yes");
    const prepared = await this.#prepare(request);
    const { commit, plan } = prepared;
    if (plan.changed && !(await this.#isAccepted(prepared))) return undefined;
    return { ...(request.from === undefined && { revision: commit }), ...(plan.id !== null && { plan: plan.id }) };
  }

  async #isAccepted({ plan: { environment } }: DeployPlan): Promise<boolean> {
    return isProductionName(environment)
      ? await confirmName(this, `Deploy? Type the name ${environment} to go on:`, environment)
      : await confirmChange(this, "Deploy?");
  }
}

/** On a node, a relative path begins at its repository. */
function chooseCode(revision: string | undefined, from: string | undefined, isHere: boolean) {
  if (revision === undefined || from === undefined) return { revision, from: isHere ? from && resolve(from) : from };
  throw new SvcmError("INVALID_REQUEST", { details: "--from takes the place of the revision. Give one of the two." });
}

type DeployRequest = Parameters<typeof deployPlan.run>[1];
