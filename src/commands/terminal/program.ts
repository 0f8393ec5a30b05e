import { spawn, type StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { STDIN } from "./output.ts";

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const FORWARDED_SIGNALS = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT"] as const;
/** The terminal sends these to every program in it, so passing them on would send them twice. */
const KEYBOARD_SIGNALS: ReadonlySet<string> = new Set(["SIGINT", "SIGQUIT"]);

/** Passes signals on. @throws the system's error if the program cannot be started */
export function runProgram(
  command: string,
  args: readonly string[],
  { env, stdio = "inherit" }: { readonly env: NodeJS.ProcessEnv; readonly stdio?: StdioOptions },
): Promise<ExitStatus> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio });
    const hasKeyboard = isatty(STDIN);
    const forward = (signal: NodeJS.Signals): void => {
      if (!hasKeyboard || !KEYBOARD_SIGNALS.has(signal)) child.kill(signal);
    };
    const settleOnce = (settle: () => void): void => {
      for (const signal of FORWARDED_SIGNALS) process.removeListener(signal, forward);
      settle();
    };
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
    child.once("error", (error) => settleOnce(() => reject(error)));
    child.once("exit", (code, signal) => settleOnce(() => resolve({ code, signal })));
  });
}

export function exitLike({ code, signal }: ExitStatus): void {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  if (signal !== null) process.kill(process.pid, signal);
}
