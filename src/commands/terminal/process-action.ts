/** What the three commands that act on processes share. */
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { ProcessActionResult } from "../../core/index.ts";
import { UsageError } from "./failure.ts";

export const processArgs = {
  name: Args.string({ description: "Name of the app, exactly: all its instances are meant." }),
};

export const processFlags = {
  id: Flags.integer({ summary: "PM2's number of one process.", helpValue: "<n>", min: 0 }),
  namespace: Flags.string({
    summary: "Every process of this PM2 namespace; with a name or a number, only there.",
    helpValue: "<name>",
  }),
};

interface Asked {
  readonly name: string | undefined;
  readonly id: number | undefined;
  readonly namespace: string | undefined;
  readonly ecosystem: boolean;
  readonly environment: string | undefined;
}

/** The input of the operation. @throws {UsageError} where it does not say who is meant. */
export function targetOf({ name, id: pmId, namespace, ecosystem, environment }: Asked) {
  if (environment !== undefined && !ecosystem)
    throw new UsageError("--environment chooses the ecosystem file: it goes with --ecosystem.");
  if (name === undefined && pmId === undefined && namespace === undefined && !ecosystem)
    throw new UsageError("No process is named.", "see what there is: svcm process list");
  const isOne = name !== undefined || pmId !== undefined;
  const scope = ecosystem ? "ecosystem" : isOne ? "process" : "namespace";
  return { scope, name, pmId, namespace, environment } as const;
}

const DONE = { start: "Started", stop: "Stopped", restart: "Restarted" } as const;
const WHY = {
  SELF_ACTION_BLOCKED: "it serves this request",
  ALREADY_RUNNING: "it runs already; to end it and start it anew: svcm process restart",
  ALREADY_STOPPED: "it does not run",
} as const;

/** One line a process. */
export function renderAction({ action, affected, skipped }: ProcessActionResult): string {
  const done = affected.map(
    ({ name, pmId, pid }) => `${DONE[action]} ${name} (id ${pmId}${pid === null ? "" : `, pid ${pid}`}).`,
  );
  const left = skipped.map(({ name, pmId, reason }) => `Left ${name} (id ${pmId}) alone: ${WHY[reason]}.`);
  return [...done, ...left].join("\n");
}
