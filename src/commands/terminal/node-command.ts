import type { Command } from "@oclif/core/command";
import * as Flags from "@oclif/core/flags";
import type { LoadOptions } from "@oclif/core/interfaces";
import { SvcmCommand } from "../base.ts";

export const deadlineFlag = Flags.string({
  summary: "Time to wait for the answers of nodes, 1s to 1h. Defaults to 5s for a read and 10m for a change.",
  helpGroup: "FLEET",
  helpValue: "<time>",
});

export const nodeFlag = Flags.string({
  summary: "Run on these nodes of the fleet: a name, a label such as role=api, or all. Can be repeated.",
  helpGroup: "FLEET",
  helpValue: "<node>",
  multiple: true,
  multipleNonGreedy: true,
});

export const maxParallelFlag = Flags.integer({
  summary: "Number of nodes that change at the same time. Defaults to 1.",
  helpGroup: "FLEET",
  helpValue: "<count>",
  min: 1,
  max: 1000,
  dependsOn: ["node"],
});

export abstract class NodeCommand extends SvcmCommand {
  static override baseFlags = { ...SvcmCommand.baseFlags, node: nodeFlag, deadline: deadlineFlag };

  static override async run<T extends Command>(
    this: new (argv: string[], config: Command["config"]) => T,
    argv?: string[],
    options?: LoadOptions,
  ): Promise<ReturnType<T["run"]>> {
    const hasNodeFlag = argv?.some((word) => /^--node(?:=|$)/.test(word));
    const CommandClass = hasNodeFlag ? (await import("./on-nodes.ts")).onNodes(this as never) : this;
    return SvcmCommand.run.call(CommandClass as typeof this, argv, options) as Promise<ReturnType<T["run"]>>;
  }
}
