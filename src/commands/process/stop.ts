import * as Flags from "@oclif/core/flags";
import { processAct, processList } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { confirm, isAttended } from "../terminal/confirm.ts";
import { processArgs, processFlags, renderAction, targetOf } from "../terminal/process-action.ts";

export default class ProcessStop extends SvcmCommand {
  static override summary = "Stop processes of PM2.";
  static override description =
    "PM2 keeps knowing them. Succeeds when PM2's list shows them stopped. At a terminal, a whole namespace is asked about first.";
  static override examples = [
    "<%= config.bin %> process stop restapi",
    "<%= config.bin %> process stop --id 3",
    "<%= config.bin %> process stop --namespace backend --yes",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    yes: Flags.boolean({ char: "y", summary: "Do not ask.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(ProcessStop);
    const { id, namespace, yes } = flags;
    const target = targetOf({ name: args.name, id, namespace, ecosystem: false, environment: undefined });
    const isAsked = target.scope === "namespace" && !yes && !this.jsonEnabled() && isAttended();
    if (isAsked && !(await confirm(await this.#question(target.namespace)))) {
      this.log("Nothing was stopped.");
      return this.answerNo();
    }
    const result = await ask(processAct, flags, { action: "stop", ...target });
    this.log(renderAction(result));
    return result;
  }

  async #question(namespace: string | undefined): Promise<string> {
    const { flags } = await this.parse(ProcessStop);
    const { processes } = await ask(processList, flags, {});
    const names = processes
      .filter((process) => process.namespace === namespace)
      .map(({ name, pmId }) => `${name} (id ${pmId})`);
    return `Stop all ${names.length} processes of the namespace ${namespace}: ${names.join(", ")}?`;
  }
}
