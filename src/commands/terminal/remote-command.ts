import type { Command } from "@oclif/core/command";
import { SvcmError, type Operation } from "../../core/index.ts";
import type { AnswerState } from "../../fleet/nodes.ts";
import type { SvcmCommand } from "../base.ts";
import { CommandLineError } from "./errors.ts";
import { toFailure, type Failure } from "./failure.ts";
import { isOclifError } from "./usage.ts";

export type CommandClass = Pick<typeof SvcmCommand, "id" | "flags" | "args"> &
  (new (argv: string[], config: Command["config"]) => SvcmCommand & { run(): Promise<unknown> });

export type Execute = <Input, Output>(operation: Operation<Input, Output>, input: Input) => Promise<Output>;

export interface NodeResult {
  readonly node: string;
  readonly state: AnswerState;
  readonly exitCode: number;
  readonly answer?: unknown;
  readonly failure?: Failure;
  readonly lines: readonly Line[];
}

interface Line {
  readonly text: string;
  readonly isError: boolean;
}

/** Collects the output and the exit code of a command instead of printing and setting them. */
function collectOutput(BaseCommand: CommandClass) {
  return class CollectingCommand extends BaseCommand {
    readonly lines: Line[] = [];
    exitCode = 0;

    override log(text = ""): void {
      this.lines.push({ text, isError: false });
    }

    override logToStderr(text = ""): void {
      this.lines.push({ text, isError: true });
    }

    override logExactly(text: string): void {
      this.log(text);
    }

    override warn(input: Error | string): Error | string {
      this.logToStderr(`Warning: ${input instanceof Error ? input.message : input}`);
      return input;
    }

    override setExitCode(code: number): void {
      this.exitCode = code;
    }
  };
}

/** Runs a command whose operations a node carries out. It collects its output and never prompts. */
export function remoteCommandOf(BaseCommand: CommandClass, executeOnNode: Execute) {
  return class RemoteCommand extends collectOutput(BaseCommand) {
    hasSentRequest = false;

    override get isInteractive(): boolean {
      return false;
    }

    override execute<Input, Answer>(operation: Operation<Input, Answer>, input: Input): Promise<Answer> {
      this.hasSentRequest = true;
      return executeOnNode(operation, input);
    }

    override executeUntilStopped<Input, Answer>(operation: Operation<Input, Answer>, input: Input): Promise<Answer> {
      return this.execute(operation, input);
    }

    protected override async logMissingEcosystem(missing: { environment: string; path: string }): Promise<void> {
      const { missingEcosystem } = await import("./without-ecosystem.ts");
      this.log(missingEcosystem(missing));
    }

    /** A signal ends the program, but the nodes carry on. */
    override get signal(): AbortSignal {
      return new AbortController().signal;
    }
  };
}

export async function resultOf(
  remote: InstanceType<ReturnType<typeof remoteCommandOf>>,
  node: string,
  stateOf: (error: unknown) => AnswerState,
): Promise<NodeResult> {
  try {
    const answer: unknown = await remote.run();
    return { node, state: "answered", exitCode: remote.exitCode, answer, lines: remote.lines };
  } catch (error) {
    const isCommandLineError = !remote.hasSentRequest || error instanceof CommandLineError || isOclifError(error);
    if (isCommandLineError) throw error;
    const state = stateOf(error);
    const failure = toFailure(state === "other-version" && !(error instanceof SvcmError) ? versionMismatch() : error);
    return { node, state, exitCode: isMissing(state) ? COULD_NOT : failure.exitCode, failure, lines: remote.lines };
  }
}

const COULD_NOT = 3;

export function isMissing(state: AnswerState): boolean {
  return state !== "answered" && state !== "failed";
}

function versionMismatch(): SvcmError {
  return new SvcmError("NOT_FOUND", {
    code: "OPERATION_UNKNOWN",
    details: "This svcm cannot show the answer, because the node runs another version.",
  });
}
