import {
  commandLineCaller,
  execute,
  withProgress,
  type Operation,
  type Ports,
  type ApplyProgress,
} from "../../core/index.ts";
import { withMembers } from "../../core/words/record.ts";
import { writeErr } from "./output.ts";
import { printable, stderrScreen } from "./screen.ts";

interface Interruptible {
  readonly signal: AbortSignal;
  ports(): Promise<Ports>;
}

/**
 * Shows the lines of a long operation on standard error, also with --json and without a terminal: a log then shows how far
 * a killed apply came. A lost terminal or reader stops it as Ctrl-C does, until its first step on a process; from then on
 * it goes through.
 */
export async function executeAloud<OperationInput, Output>(
  command: Interruptible,
  operation: Operation<OperationInput, Output>,
  input: OperationInput,
): Promise<Output> {
  const hangUp = new AbortController();
  const signal = AbortSignal.any([command.signal, hangUp.signal]);
  const ports = await command.ports();
  let hasBegun = false;
  const onHangUp = (): void => {
    if (!hasBegun) hangUp.abort();
  };
  const say = (line: string): void => {
    if (!writeErr(`${printable(line, stderrScreen())}\n`)) onHangUp();
  };
  const releases = withProgress(ports.releases, (progress) => {
    hasBegun = true;
    if (progress.outcome === undefined) say(progressText(progress));
  });
  process.on("SIGHUP", onHangUp);
  try {
    const caller = Object.assign(commandLineCaller(), { say, signal });
    return await execute(operation, withMembers(ports, { releases }), input, caller);
  } finally {
    process.removeListener("SIGHUP", onHangUp);
  }
}

/** `[1/3] update web: done` */
export function progressText({ step, of, do: kind, app, phase }: ApplyProgress): string {
  return `[${step}/${of}] ${app === "" ? kind : `${kind} ${app}`}: ${phase}`;
}
