import * as Flags from "@oclif/core/flags";
import type { Release } from "../../core/index.ts";
import { paint } from "./paint.ts";
import { readTimeout } from "./since.ts";
import { UsageError } from "./errors.ts";

export const applyFlags = {
  yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false }),
  timeout: Flags.string({
    summary: "Time for each process to show the result, for example 90s or 2m. Defaults to 20s.",
    helpValue: "<time>",
  }),
  "lock-timeout": Flags.string({
    summary: "Time to wait for another apply, for example 5m. Defaults to 1m.",
    helpValue: "<time>",
  }),
};

export function patienceOf(flags: {
  readonly timeout?: string | undefined;
  readonly "lock-timeout"?: string | undefined;
}) {
  return { timeoutMs: readTimeout(flags.timeout), lockTimeoutMs: readTimeout(flags["lock-timeout"]) };
}

/** @throws {UsageError} if no person can be asked */
export function refuseUnasked(mayAsk: boolean, command: string, accepted: string): void {
  if (mayAsk) return;
  throw new UsageError(
    `${command} asks before it changes anything, and svcm does not run in a terminal. Accepted: ${accepted}.`,
    `add ${accepted}`,
  );
}

export function renderRelease({ id, outcome, steps, code }: Release): string {
  const colour = outcome === "applied" ? paint.green : outcome === "half" ? paint.red : paint.yellow;
  const lines = steps.map(({ do: kind, app, phase, reason }) => {
    const what = app === "" ? kind : `${kind} ${app}`;
    return `  ${what}: ${phase}${reason === undefined ? "" : `. ${reason}`}`;
  });
  return [`Release ${id}: ${colour(outcome)}${code === undefined ? "" : ` (${code})`}.`, ...lines].join("\n");
}
