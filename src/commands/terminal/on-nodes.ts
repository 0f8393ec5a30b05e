/** A command builds its input and renders each result as usual, but a node carries out the operation. */
import { selectNodes, type ErrorBody, type Operation } from "../../core/index.ts";
import type { Fleet, KnownNode } from "../../fleet/fleet.ts";
import type { AnswerState } from "../../fleet/nodes.ts";
import type { SvcmCommand } from "../base.ts";
import { renderFailure } from "./failure.ts";
import {
  isMissing,
  resultOf,
  remoteCommandOf,
  type CommandClass,
  type Execute,
  type NodeResult,
} from "./remote-command.ts";
import { readDeadline } from "./nodes.ts";
import { paint } from "./paint.ts";
import { canAsk, consented } from "./prompt.ts";
import { stderrScreen } from "./screen.ts";
import { pluralize } from "../../core/words/pluralize.ts";

interface NodeFlags {
  readonly node?: readonly string[];
  readonly deadline?: string;
  readonly yes?: boolean;
  readonly "dry-run"?: boolean;
  readonly plan?: string;
}

/** Runs on all nodes of `--node` at once. Exits with the highest exit code. */
export function onNodes(Asked: CommandClass): CommandClass {
  return class extends Asked {
    override async run(): Promise<unknown> {
      const { flags } = (await this.parse(Asked)) as { readonly flags: NodeFlags };
      const { withFleet, findAnswerState } = await import("../../fleet/index.ts");
      const own = this.config.version;
      readDeadline(flags.deadline);
      const answers = await withFleet(await this.ports(), process.env, async (fleet) => {
        const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
        const nodes = selectNodes(declared, flags.node ?? []);
        const askAll = (argv: string[]): Promise<NodeResult[]> => {
          const leftMs = deadlineOf(flags.deadline);
          const results = nodes.map((node) => {
            const remote = new (remoteCommandOf(Asked, askerOf(fleet, node, leftMs)))(argv, this.config);
            return resultOf(remote, node.name, (error) => findAnswerState(error, node.presence, own));
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

/** `undefined` after a no. */
async function agreed(
  command: SvcmCommand,
  { id, accepted, flags, nodes, askAll }: Asking,
): Promise<string[] | undefined> {
  const isAgreed = !("yes" in accepted) || flags.yes || flags["dry-run"] || flags.plan !== undefined;
  if (isAgreed || !canAsk(command)) return command.argv;
  if ("dry-run" in accepted) printResults(command, await askAll(["--dry-run", ...command.argv]));
  const question = `Run svcm ${id.replaceAll(":", " ")} on ${nodes.map(({ name }) => name).join(", ")}?`;
  return (await consented(command, question)) ? ["--yes", ...command.argv] : undefined;
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
