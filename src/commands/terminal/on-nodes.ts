/** A command builds its input and renders each result as usual, but a node carries out the operation. */
import { selectNodes, type ErrorBody, type Operation, SvcmError } from "../../core/index.ts";
import type { Fleet, KnownNode, AnswerState } from "../../fleet/fleet.ts";
import type { SvcmCommand } from "../base.ts";
import { renderFailure, toFailure, type Failure, isOclifError } from "./failure.ts";
import { readDeadline } from "./numbers.ts";
import { paint, stderrScreen } from "./screen.ts";
import { canPrompt, confirmChange } from "./prompt.ts";
import { pluralize } from "../../core/words/text.ts";
import type { Command } from "@oclif/core/command";
import { CommandLineError } from "./errors.ts";

interface NodeFlags {
  readonly node?: readonly string[];
  readonly deadline?: string;
  readonly yes?: boolean;
  readonly "dry-run"?: boolean;
  readonly plan?: string;
}

/** Runs on all nodes of `--node` at once. Exits with the highest exit code. */
export function onNodes(CommandClass: CommandClass): CommandClass {
  return class extends CommandClass {
    override async run(): Promise<unknown> {
      const { flags } = (await this.parse(CommandClass)) as { readonly flags: NodeFlags };
      const ownVersion = this.config.version;
      readDeadline(flags.deadline);
      const answers = await this.withFleet(async (fleet, { findAnswerState }) => {
        const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
        const nodes = selectNodes(declared, flags.node ?? []);
        const runOnAll = (argv: string[]): Promise<NodeResult[]> => {
          const remainingMs = createDeadline(flags.deadline);
          const results = nodes.map((node) => {
            const remote = new (remoteCommandOf(CommandClass, executorFor(fleet, node, remainingMs)))(
              argv,
              this.config,
            );
            return resultOf(remote, node.name, (error) => findAnswerState(error, node.presence, ownVersion));
          });
          return Promise.all(results);
        };
        const argv = await confirmOnNodes(this, {
          id: CommandClass.id,
          accepted: { ...CommandClass.flags },
          flags,
          nodes,
          runOnAll,
        });
        return argv && (await runOnAll(argv));
      });
      if (answers === undefined) return undefined;
      printResults(this, answers);
      this.setExitCode(Math.max(...answers.map(({ exitCode }) => exitCode)));
      return { nodes: answers.map(bodyOf) };
    }
  };
}

interface ConfirmationContext {
  readonly id: string;
  readonly accepted: object;
  readonly flags: NodeFlags;
  readonly nodes: readonly KnownNode[];
  readonly runOnAll: (argv: string[]) => Promise<NodeResult[]>;
}

/** `undefined` after a no. */
async function confirmOnNodes(
  command: SvcmCommand,
  { id, accepted, flags, nodes, runOnAll }: ConfirmationContext,
): Promise<string[] | undefined> {
  const needsNoConfirmation = !("yes" in accepted) || flags.yes || flags["dry-run"] || flags.plan !== undefined;
  if (needsNoConfirmation || !canPrompt(command)) return command.argv;
  if ("dry-run" in accepted) printResults(command, await runOnAll(["--dry-run", ...command.argv]));
  const question = `Run svcm ${id.replaceAll(":", " ")} on ${nodes.map(({ name }) => name).join(", ")}?`;
  return (await confirmChange(command, question)) ? ["--yes", ...command.argv] : undefined;
}

function printResults(command: SvcmCommand, results: readonly NodeResult[]): void {
  let isFirst = true;
  for (const { node, lines, failure, state } of results) {
    if (failure === undefined) {
      command.log(`${isFirst ? "" : "\n"}${paint.bold(node)}`);
      isFirst = false;
    }
    for (const { text, isError } of lines) {
      if (isError) command.logToStderr(`${node}: ${text}`);
      else command.log(text);
    }
    if (failure !== undefined)
      command.logToStderr(`${paint.bold(node)}: ${state}\n${renderFailure(failure, false, stderrScreen()).trimEnd()}`);
  }
  const missing = results.filter(({ state }) => isMissing(state)).map(({ node, state }) => `${node} (${state})`);
  if (missing.length > 0)
    command.logToStderr(
      `${missing.length} of ${pluralize(results.length, "node")} did not answer: ${missing.join(", ")}.`,
    );
}

/** Each request gets what is left of the common time limit. */
function createDeadline(
  deadline: string | undefined,
): (operation: Operation<never, unknown>, input: unknown) => number {
  const startedAt = performance.now();
  return ({ access }, input) => {
    const isLong = access === "act" || access === "write" || "timeoutMs" in (input as object);
    return Math.max(
      1,
      readDeadline(deadline, isLong ? CHANGE_DEADLINE_MS : undefined) - (performance.now() - startedAt),
    );
  };
}

const CHANGE_DEADLINE_MS = 600_000;

function executorFor(fleet: Fleet, { name }: KnownNode, remainingMs: ReturnType<typeof createDeadline>): Execute {
  return (operation, input) => fleet.ask(name, operation, input, remainingMs(operation as never, input));
}

function bodyOf({ node, state, answer, failure }: NodeResult): {
  readonly node: string;
  readonly state: AnswerState;
  readonly answer?: unknown;
  readonly error?: ErrorBody;
} {
  return { node, state, ...(failure?.body === undefined ? { answer } : { error: failure.body }) };
}

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
