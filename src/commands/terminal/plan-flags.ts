import * as Flags from "@oclif/core/flags";
import { pickEnvironment } from "../base.ts";

/** Applying a plan requires the options that it was made with. */
export const planFlags = {
  app: appFlag("ecosystem file"),
  prune: Flags.boolean({
    summary: "Delete processes that an apply started and no file declares any more.",
    default: false,
  }),
  preflight: Flags.boolean({
    allowNo: true,
    summary: "First start each changed app once on a spare port. Defaults to preflight of rollout.",
  }),
};

interface PlanFlags {
  readonly environment: string | undefined;
  readonly service: string | undefined;
  readonly app: string[] | undefined;
  readonly prune: boolean;
  readonly preflight: boolean | undefined;
}

export function planInput({ app: apps, prune, preflight, ...flags }: PlanFlags) {
  return { ...pickEnvironment(flags), apps, prune: prune || undefined, preflight };
}

export function appFlag(source: "ecosystem file" | "release") {
  return Flags.string({
    summary: `Only this app of the ${source}. Can be repeated.`,
    helpValue: "<name>",
    multiple: true,
  });
}
