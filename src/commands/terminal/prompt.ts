/** svcm does not prompt in continuous integration, in a pipe, or with --json. */
import { createInterface, type Interface } from "node:readline";
import * as Flags from "@oclif/core/flags";
import type { SvcmCommand } from "../base.ts";
import { printable } from "./paint.ts";
import { writeErr } from "./output.ts";
import { isTerminalBehindStderr, stderrScreen } from "./screen.ts";

/** The user pressed Ctrl-C, or the input ended. Nothing has changed. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

const CANCELLED = 130;

export interface Prompter {
  /** Returns one trimmed line. @param accepted words that Tab completes */
  ask(question: string, accepted?: readonly string[]): Promise<string>;
}

export const yesFlag = Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false });

export function canAsk(command: SvcmCommand): boolean {
  return command.isAttended && !process.env["CI"] && process.stdin.isTTY && isTerminalBehindStderr();
}

/** Any other answer, and leaving the prompt, is a no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once("SIGINT", () => terminal.close());
  return new Promise<boolean>((resolve) => {
    const leave = (): void => {
      writeErr("\n");
      resolve(false);
    };
    terminal.once("close", leave);
    terminal.question(`${printable(question, stderrScreen())} [y/N] `, (answer) => {
      terminal.removeListener("close", leave);
      terminal.close();
      resolve(/^y(?:es)?$/i.test(answer.trim()));
    });
  });
}

/** After a no, the command reports that nothing was changed. */
export async function consented(command: SvcmCommand, question: string, done = "changed"): Promise<boolean> {
  if (await confirm(question)) return true;
  command.log(`Nothing was ${done}.`);
  command.answerNo();
  return false;
}

/** If the user leaves the prompt, the command exits with 130, as after a signal. */
export async function withPrompter<T>(command: SvcmCommand, talk: (prompter: Prompter) => Promise<T>): Promise<T> {
  let accepted: readonly string[] = [];
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    completer: (line: string) => [accepted.filter((word) => word.startsWith(line)), line],
  });
  const lines = linesOf(terminal);
  try {
    return await talk({
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
    return command.exit(CANCELLED);
  } finally {
    terminal.close();
  }
}

/** Keeps lines that were typed before the prompt. */
function linesOf(terminal: Interface): () => Promise<string> {
  const early: string[] = [];
  let isOver = false;
  let waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;
  terminal.on("line", (line) => {
    if (waiting) waiting.resolve(line);
    else early.push(line);
    waiting = undefined;
  });
  terminal.on("SIGINT", () => terminal.close());
  terminal.on("close", () => {
    isOver = true;
    waiting?.reject(new Cancelled());
  });
  return () => {
    const line = early.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (isOver) return Promise.reject(new Cancelled());
    return new Promise((resolve, reject) => (waiting = { resolve, reject }));
  };
}
