import * as Flags from "@oclif/core/flags";
import type { Release, RollbackPlan } from "../../core/index.ts";
import { paint } from "./paint.ts";
import { yesFlag } from "./prompt.ts";
import { readTimeout } from "./since.ts";
import { UsageError } from "./errors.ts";
import { counted } from "../../core/words/counted.ts";

export const applyFlags = {
  yes: yesFlag,
  timeout: Flags.string({
    summary: "Time for each process to show the result, for example 90s or 2m. Defaults to healthyDeadline of rollout.",
    helpValue: "<time>",
  }),
  "lock-timeout": Flags.string({
    summary: "Time to wait for another apply, for example 5m. Defaults to 1m.",
    helpValue: "<time>",
  }),
};

export function readTimeouts(flags: {
  readonly timeout?: string | undefined;
  readonly "lock-timeout"?: string | undefined;
}) {
  return { timeoutMs: readTimeout(flags.timeout), lockTimeoutMs: readTimeout(flags["lock-timeout"], "--lock-timeout") };
}

/** @throws {UsageError} if svcm cannot prompt a user */
export function requirePrompt(canConfirm: boolean, command: string, accepted: string): void {
  if (canConfirm) return;
  throw new UsageError(
    `${command} asks before it changes anything, but svcm does not run in a terminal. Accepted: ${accepted}.`,
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

export function renderRollbackPlan({ release, id, changed, steps }: RollbackPlan): string {
  const lines = steps.map((step) => `  ${step.app}: ${rollbackStepText(step)}`);
  const head = changed ? `Undoing ${release} would change:` : `Every app runs as before ${release}.`;
  return [head, ...lines, `Plan ${id}.`].join("\n");
}

function rollbackStepText({ changed, instances, pmIds, disruption, pinned }: RollbackPlan["steps"][number]): string {
  if (!changed) return "runs as before";
  const { from, to } = instances;
  const what =
    to === 0
      ? "is deleted"
      : from === to
        ? `returns to its former definition (id ${pmIds.join(", ")})`
        : `goes from ${from} to ${counted(to, "instance")}, with its former definition`;
  const copy = pinned ? " It reads a copy of its former env file until the next apply." : "";
  return `${what}${DISRUPTION_TEXTS[disruption]}.${copy}`;
}

const DISRUPTION_TEXTS: Readonly<Record<RollbackPlan["steps"][number]["disruption"], string>> = {
  none: "",
  partial: "; each instance is away while it restarts",
  gap: "; requests fail until it listens again",
  down: "; requests fail from then on",
};
