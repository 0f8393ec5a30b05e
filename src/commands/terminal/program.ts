import { spawn, type StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { STDIN } from "./output.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const PASSED_ON = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT"] as const;
/** The terminal sends these to every program in it, so passing them on would send them twice. */
const FROM_KEYBOARD: ReadonlySet<string> = new Set(["SIGINT", "SIGQUIT"]);

/** Passes signals on. @throws the system's error if the program cannot be started */
export function runProgram(
  command: string,
  args: readonly string[],
  { env, stdio = "inherit" }: { readonly env: NodeJS.ProcessEnv; readonly stdio?: StdioOptions },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio });
    const hasKeyboard = isatty(STDIN);
    const pass = (signal: NodeJS.Signals): void => {
      if (!hasKeyboard || !FROM_KEYBOARD.has(signal)) child.kill(signal);
    };
    const ended = (settle: () => void): void => {
      for (const signal of PASSED_ON) process.removeListener(signal, pass);
      settle();
    };
    for (const signal of PASSED_ON) process.on(signal, pass);
    child.once("error", (error) => ended(() => reject(error)));
    child.once("exit", (code, signal) => ended(() => resolve({ code, signal })));
  });
}

export function endLike({ code, signal }: Ended): void {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  if (signal !== null) process.kill(process.pid, signal);
}
