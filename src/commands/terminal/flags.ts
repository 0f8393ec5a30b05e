/** Flags and arguments of more than one command, and the conversion of their values. */
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { dryRunFlag, pickEnvironment } from "../base.ts";
import { UsageError } from "./errors.ts";
import { yesFlag } from "./prompt.ts";
import { readTimeout } from "./numbers.ts";

export function namesArg(description: string) {
  return { name: Args.string({ ignoreStdin: true, description, multiple: true }) };
}

/** oclif's own integer argument does not name the argument, and its error counts as a defect. */
export function integerArg({ name, min, max, description }: IntegerArg) {
  return Args.custom<number>({
    parse: async (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw new UsageError(
        `${name.toUpperCase()}: ${JSON.stringify(text.slice(0, 40))} is not accepted; accepted: an integer from ${min} to ${max}.`,
      );
    },
  })({ ignoreStdin: true, required: true, description });
}

interface IntegerArg {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly description: string;
}

export const assignmentArgs = {
  "key=value": Args.string({ ignoreStdin: true, description: "Key and its new value.", multiple: true }),
};

/** @throws {UsageError} for anything but `KEY=VALUE`, and for a duplicate key */
export function parseAssignments(args: readonly string[] = []): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const arg of args) {
    const equals = arg.indexOf("=");
    if (equals < 1)
      throw new UsageError(`${JSON.stringify(arg)} is not of the form KEY=VALUE.`, `write ${arg || "KEY"}=VALUE`);
    const key = arg.slice(0, equals);
    if (key in values) throw new UsageError(`${key} is given more than once.`);
    values[key] = arg.slice(equals + 1);
  }
  return { ...values };
}

export const DEFAULT_DOCUMENT = "deployments.yaml";

export function documentFlag(summary: string) {
  return Flags.string({ summary, default: DEFAULT_DOCUMENT, helpValue: "<file>" });
}

export const fileFlag = documentFlag("Document to use, relative to the repository root.");

export const documentFlags = { file: fileFlag, "dry-run": dryRunFlag };

export const envAppFlag = Flags.string({
  summary: "App whose env in the ecosystem file overrides the env file.",
  helpValue: "<name>",
});

export const profileArg = Args.string({
  ignoreStdin: true,
  required: true,
  description: "Name of the profile. svcm env profile list shows all of them.",
});

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

/** Without names, what is unknown is restarted. */
export const restartFlags = {
  restart: Flags.boolean({
    summary: "Also restart the named apps; without names, those whose code or values are unknown.",
    default: false,
  }),
};

export const restartArgs = namesArg("App to restart, after --restart.");

/** @throws {UsageError} for names without the flag, which look like a selection */
export function restartInput(isRequested: boolean, names: readonly string[] = []) {
  if (!isRequested && names.length > 0)
    throw new UsageError(
      `${names.map((name) => JSON.stringify(name)).join(", ")}: names need a flag.`,
      "write --restart before them to restart these apps, or --app before each to leave the others out",
    );
  if (!isRequested) return {};
  return { restart: names.length > 0 ? [...names] : (true as const) };
}

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

export function clearFlag(what: "field" | "key", example: string) {
  return Flags.string({
    summary: `${what === "key" ? "Key" : "Field"} to remove, for example ${example}. Can be repeated.`,
    helpValue: `<${what}>`,
    multiple: true,
    multipleNonGreedy: true,
    default: [],
  });
}

export function appFlag(source: "ecosystem file" | "release") {
  return Flags.string({
    summary: `Only this app of the ${source}. Can be repeated.`,
    helpValue: "<name>",
    multiple: true,
  });
}

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

export const nodeFlags = {
  nats: Flags.string({
    summary:
      "Add this machine to the fleet of the NATS server at this address. Separate several addresses with commas.",
    env: "SVC_SERVICE_MANAGEMENT_NATS_URL",
    helpValue: "<url>",
  }),
  "node-name": Flags.string({
    summary: "Name of this machine in svcm.yaml. Defaults to the host name.",
    env: "SVC_SERVICE_MANAGEMENT_NODE",
    helpValue: "<name>",
  }),
};
