import { isTerminalBehindStdout } from "./screen.ts";

/** Whether a person sits there who can be asked. */
export function isAttended(): boolean {
  return isTerminalBehindStdout() && process.stdin.isTTY;
}

/** Asks at the terminal; everything but a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
