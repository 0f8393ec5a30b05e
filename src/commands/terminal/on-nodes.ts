/** A command for other machines: it makes its input and renders each answer as ever, and a node carries out the operation. */
import type { Command } from "@oclif/core/command";
import { selectNodes, SvcmError, type ErrorBody, type Operation } from "../../core/index.ts";
import type { Fleet, KnownNode } from "../../fleet/fleet.ts";
import type { AnswerState } from "../../fleet/nodes.ts";
import type { SvcmCommand } from "../base.ts";
import { CommandLineError } from "./errors.ts";
import { failureOf, renderFailure, type Failure } from "./failure.ts";
import { readDeadline } from "./nodes.ts";
import { paint } from "./paint.ts";
import { canAsk, confirm } from "./prompt.ts";
import { stderrScreen } from "./screen.ts";
import { isOclifError } from "./usage.ts";

/** A command that can be made. */
interface RunCommand extends SvcmCommand {
  run(): Promise<unknown>;
}

type CommandClass = Pick<typeof SvcmCommand, "id" | "flags" | "args"> &
  (new (argv: string[], config: Command["config"]) => RunCommand);

type Execute = <Asked, Answer>(operation: Operation<Asked, Answer>, input: Asked) => Promise<Answer>;

interface NodeFlags {
  readonly node?: readonly string[];
  readonly deadline?: string;
  readonly yes?: boolean;
  readonly "dry-run"?: boolean;
  readonly plan?: string;
}

/** The result of a command on one node. */
interface NodeResult {
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

/** The same command for the nodes of `--node`, all at the same time. Exits with the highest exit code of them. */
export function onNodes(Asked: CommandClass): CommandClass {
  return class extends Asked {
    override async run(): Promise<unknown> {
      const { flags } = (await this.parse(Asked)) as { readonly flags: NodeFlags };
      const { withFleet, stateOf } = await import("../../fleet/index.ts");
      const own = this.config.version;
      readDeadline(flags.deadline);
      const answers = await withFleet(await this.ports(), process.env, async (fleet) => {
        const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
        const nodes = selectNodes(declared, flags.node ?? []);
        const askAll = (argv: string[]): Promise<NodeResult[]> => {
          const leftMs = deadlineOf(flags.deadline);
          const results = nodes.map((node) => {
            const seat = new (seatOf(Asked, askerOf(fleet, node, leftMs)))(argv, this.config);
            return resultOf(seat, node.name, (error) => stateOf(error, node.presence, own));
          });
          return Promise.all(results);
        };
        const argv = await agreed(this, { id: Asked.id, accepted: { ...Asked.flags }, flags, nodes, askAll });
        return argv && (await askAll(argv));
      });
      if (answers === undefined) return undefined;
      printResults(this, answers);
      process.exitCode = Math.max(...answers.map(({ exitCode }) => exitCode));
      return { nodes: answers.map(bodyOf) };
    }
  };
}

interface Asking {
  readonly id: string;
  readonly accepted: object;
  readonly flags: NodeFlags;
  readonly nodes: readonly KnownNode[];
  readonly askAll: (argv: string[]) => Promise<NodeResult[]>;
}

/** The words of the command line after a person's consent, if it needs one; `undefined` after a no. */
async function agreed(
  command: SvcmCommand,
  { id, accepted, flags, nodes, askAll }: Asking,
): Promise<string[] | undefined> {
  const isAgreed = !("yes" in accepted) || flags.yes || flags["dry-run"] || flags.plan !== undefined;
  if (isAgreed || !canAsk(command)) return command.argv;
  if ("dry-run" in accepted) printResults(command, await askAll(["--dry-run", ...command.argv]));
  const question = `Run svcm ${id.replaceAll(":", " ")} on ${nodes.map(({ name }) => name).join(", ")}?`;
  if (await confirm(question)) return ["--yes", ...command.argv];
  command.log("Nothing was changed.");
  command.answerNo();
  return undefined;
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
    command.logToStderr(`${missing.length} of ${results.length} nodes gave no answer: ${missing.join(", ")}.`);
}

/** One run of a command, whose operations a node carries out. It prints nothing and asks no person. */
function seatOf(Asked: CommandClass, ask: Execute) {
  return class Seat extends Asked {
    readonly lines: Line[] = [];
    hasAsked = false;
    exitCode = 0;

    override get isAttended(): boolean {
      return false;
    }

    override execute<Input, Answer>(operation: Operation<Input, Answer>, input: Input): Promise<Answer> {
      this.hasAsked = true;
      return ask(operation, input);
    }

    override executeUntilStopped<Input, Answer>(operation: Operation<Input, Answer>, input: Input): Promise<Answer> {
      return this.execute(operation, input);
    }

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

    override answerNo(): void {
      this.exitCode = 1;
    }

    protected override explainMissing({ environment, path }: { readonly environment: string; readonly path: string }) {
      this.log(`${environment} has no ecosystem file: svcm looked for ${path}`);
      return Promise.resolve();
    }

    /** A signal ends the program, and the nodes go on. */
    protected override get signal(): AbortSignal {
      return new AbortController().signal;
    }
  };
}

async function resultOf(
  seat: InstanceType<ReturnType<typeof seatOf>>,
  node: string,
  stateOf: (error: unknown) => AnswerState,
): Promise<NodeResult> {
  try {
    const answer: unknown = await seat.run();
    return { node, state: "answered", exitCode: seat.exitCode, answer, lines: seat.lines };
  } catch (error) {
    const isOfCommandLine = !seat.hasAsked || error instanceof CommandLineError || isOclifError(error);
    if (isOfCommandLine) throw error;
    const state = stateOf(error);
    const failure = failureOf(state === "other-version" && !(error instanceof SvcmError) ? otherForm() : error);
    return { node, state, exitCode: isMissing(state) ? COULD_NOT : failure.exitCode, failure, lines: seat.lines };
  }
}

const COULD_NOT = 3;

function isMissing(state: AnswerState): boolean {
  return state !== "answered" && state !== "failed";
}

function otherForm(): SvcmError {
  return new SvcmError("NOT_FOUND", {
    code: "OPERATION_UNKNOWN",
    details: "The answer has a form that this svcm cannot show, because the node runs another version.",
  });
}

/** Each request has what is left of the time of all. */
function deadlineOf(given: string | undefined): (operation: Operation<never, unknown>, input: unknown) => number {
  const begin = performance.now();
  return ({ access }, input) => {
    const isLong = access === "act" || access === "write" || "timeoutMs" in (input as object);
    return Math.max(1, readDeadline(given, isLong ? CHANGE_MS : undefined) - (performance.now() - begin));
  };
}

const CHANGE_MS = 600_000;

function askerOf(fleet: Fleet, { name }: KnownNode, leftMs: ReturnType<typeof deadlineOf>): Execute {
  return (operation, input) => fleet.ask(name, operation, input, leftMs(operation as never, input));
}

function bodyOf({ node, state, answer, failure }: NodeResult): {
  readonly node: string;
  readonly state: AnswerState;
  readonly answer?: unknown;
  readonly error?: ErrorBody;
} {
  return { node, state, ...(failure?.body === undefined ? { answer } : { error: failure.body }) };
}
