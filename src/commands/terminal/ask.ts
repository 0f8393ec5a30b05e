import { commandLineCaller, execute, nodePorts, type Operation } from "../../core/index.ts";

/** Runs one operation for the person at this terminal, in the repository that `--root` or the folder says. */
export function ask<Input, Output>(
  operation: Operation<Input, Output>,
  flags: { readonly root?: string | undefined },
  input: Input,
): Promise<Output> {
  const ports = nodePorts({ root: flags.root, env: process.env, cwd: process.cwd() });
  return execute(operation, ports, input, commandLineCaller());
}
