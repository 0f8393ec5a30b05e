/** svcm does not prompt in continuous integration, in a pipe, or with --json. */
import { createInterface, type Interface } from "node:readline";
import * as Flags from "@oclif/core/flags";
import type { SvcmCommand } from "../base.ts";
import { UsageError } from "./errors.ts";
import { printable, isStderrTerminal, stderrScreen } from "./screen.ts";
import { INTERRUPTED_EXIT_CODE, writeErr } from "./output.ts";

/** The user pressed Ctrl-C, or the input ended. Nothing has changed. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export interface Prompter {
  /** Returns one trimmed line. @param accepted words that Tab completes */
  ask(question: string, accepted?: readonly string[]): Promise<string>;
}

export const yesFlag = Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false });

export function canPrompt(command: SvcmCommand): boolean {
  return command.isInteractive && command.takesInput && !process.env["CI"] && process.stdin.isTTY && isStderrTerminal();
}

/** @throws {UsageError} if svcm cannot prompt a user */
export function requirePrompt(canConfirm: boolean, command: string, accepted: string): void {
  if (canConfirm) return;
  throw new UsageError(
    `${command} asks before it changes anything, but svcm does not run in a terminal. Accepted: ${accepted}.`,
    `add ${accepted}`,
  );
}

/** Any other answer, and leaving the prompt, is a no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await askOnce(`${question} [y/N]`));
}

/** Empty if the user leaves the prompt. */
async function askOnce(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once("SIGINT", () => terminal.close());
  return new Promise<string>((resolve) => {
    const leave = (): void => {
      writeErr("\n");
      resolve("");
    };
    terminal.once("close", leave);
    terminal.question(`${printable(question, stderrScreen())} `, (answer) => {
      terminal.removeListener("close", leave);
      terminal.close();
      resolve(answer.trim());
    });
  });
}

/** For production: a habitual yes is not enough. */
export async function confirmName(command: SvcmCommand, question: string, name: string): Promise<boolean> {
  return tellOutcome(command, (await askOnce(question)) === name, "changed");
}

/** After a no, the command reports that nothing was changed. */
export async function confirmChange(command: SvcmCommand, question: string, participle = "changed"): Promise<boolean> {
  return tellOutcome(command, await confirm(question), participle);
}

function tellOutcome(command: SvcmCommand, isAccepted: boolean, participle: string): boolean {
  if (isAccepted) return true;
  command.log(`Nothing was ${participle}.`);
  command.setExitCode(1);
  return false;
}

/** If the user leaves the prompt, the command exits with 130, as after a signal. */
export async function withPrompter<T>(
  command: SvcmCommand,
  usePrompter: (prompter: Prompter) => Promise<T>,
): Promise<T> {
  let accepted: readonly string[] = [];
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    completer: (line: string) => [accepted.filter((word) => word.startsWith(line)), line],
  });
  const lines = createLineReader(terminal);
  try {
    return await usePrompter({
      async ask(question, words = []) {
        accepted = words;
        terminal.setPrompt(printable(question, stderrScreen()));
        terminal.prompt();
        return (await lines()).trim();
      },
    });
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    command.logToStderr("\nCancelled. Nothing was changed.");
    return command.exit(INTERRUPTED_EXIT_CODE);
  } finally {
    terminal.close();
  }
}

/** Buffers lines that were typed before the prompt. */
function createLineReader(terminal: Interface): () => Promise<string> {
  const buffered: string[] = [];
  let isClosed = false;
  let pending: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;
  terminal.on("line", (line) => {
    if (pending) pending.resolve(line);
    else buffered.push(line);
    pending = undefined;
  });
  terminal.on("SIGINT", () => terminal.close());
  terminal.on("close", () => {
    isClosed = true;
    pending?.reject(new Cancelled());
  });
  return () => {
    const line = buffered.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (isClosed) return Promise.reject(new Cancelled());
    return new Promise((resolve, reject) => (pending = { resolve, reject }));
  };
}
