import { writeErr } from "./output.ts";
import { printable } from "./printable.ts";
import { stderrScreen } from "./screen.ts";

/** Whether a person can be asked. */
export function isAttended(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !process.env["CI"];
}

/** Asks at the terminal; everything but a yes is a no, and so is going away. */
export async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once("SIGINT", () => terminal.close());
  return new Promise<boolean>((resolve) => {
    const goneAway = (): void => {
      writeErr("\n");
      resolve(false);
    };
    terminal.once("close", goneAway);
    terminal.question(`${printable(question, stderrScreen())} [y/N] `, (answer) => {
      terminal.removeListener("close", goneAway);
      terminal.close();
      resolve(/^y(?:es)?$/i.test(answer.trim()));
    });
  });
}
