import * as Flags from "@oclif/core/flags";
import { processList } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { confirm, isAttended } from "../terminal/confirm.ts";
import { act, processArgs, processFlags, renderAction, targetOf } from "../terminal/process-action.ts";
import { stdoutScreen } from "../terminal/screen.ts";

export default class ProcessStop extends SvcmCommand {
  static override summary = "Stop PM2 processes.";
  static override description =
    "Stopped processes stay in PM2's list. Succeeds when PM2 reports each process as stopped. In a terminal, svcm asks for confirmation before it stops a whole namespace.";
  static override examples = [
    "<%= config.bin %> process stop dev-restapi",
    "<%= config.bin %> process stop --id 0",
    "<%= config.bin %> process stop --namespace default --yes",
  ];
  static override args = processArgs;
  static override flags = {
    ...processFlags,
    yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(ProcessStop);
    const { id: ids, namespace, yes } = flags;
    const target = targetOf({ names: args.name, ids, namespace, ecosystem: false, environment: undefined });
    const isAsked = target.scope === "namespace" && !yes && !this.jsonEnabled() && isAttended();
    if (isAsked && !(await confirm(await this.#question(flags, target.namespace)))) {
      this.log("Nothing was stopped.");
      return this.answerNo();
    }
    const result = await act(this, "stop", flags, target);
    this.log(renderAction(result, stdoutScreen()));
    return result;
  }

  async #question(flags: { readonly root?: string | undefined }, namespace: string | undefined): Promise<string> {
    const { processes } = await ask(processList, flags, {});
    const names = processes
      .filter((process) => process.namespace === namespace)
      .map(({ name, pmId }) => `${name} (id ${pmId})`);
    return `Stop all ${names.length} processes of the namespace ${namespace}: ${names.join(", ")}?`;
  }
}
