import { suggest } from "../../core/index.ts";
import { UsageError } from "./errors.ts";

export interface Invocation {
  readonly id: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Flag {
  readonly char?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
  readonly flags?: readonly string[];
  readonly args?: readonly unknown[];
}

/** Checks a property, because importing the class would load all of oclif's error rendering. */
export function isOclifError(error: unknown): error is OclifError {
  return error instanceof Error && "oclif" in error && typeof error.oclif === "object";
}

export function usageErrorOf(error: OclifError, invocation: Invocation | undefined): UsageError {
  const message = error.message.replace("\nSee more help with --help", "");
  const help =
    invocation === undefined ? "svcm help lists all commands" : `${commandName(invocation)} --help shows how to use it`;
  const hint = error.flags?.includes("--dry-run") === true ? `svcm plan shows what would be done; ${help}` : help;
  return new UsageError(explainUsageError(message, error, invocation) ?? message, hint);
}

const USAGE_RULES: readonly (readonly [
  RegExp,
  (found: RegExpExecArray, error: OclifError, invocation: Invocation) => string,
])[] = [
  [
    /^Nonexistent flags?: /,
    (_, { flags = [] }, invocation) => flags.map((flag) => unknownFlagText(flag, invocation)).join(" "),
  ],
  [/^Unexpected arguments?: /, (_, { args = [] }, invocation) => unexpectedArgumentsText(args.map(String), invocation)],
  [/^Missing \d+ required args?/, (_, { args = [] }) => args.map(missingArgumentText).join(" ")],
  [
    /^Parsing --(\S+) \n\tExpected an integer .*received: (.*)$/s,
    ([, name = "", value = ""], _, invocation) => notIntegerText(name, value, invocation),
  ],
  [
    /^Expected --([^=]+)=(.*) to be one of: (.*)$/s,
    ([, name = "", value = "", accepted = ""]) => notAcceptedText(`--${name}: `, value, accepted),
  ],
  [/^Expected (.*) to be one of: (.*)$/s, ([, value = "", accepted = ""]) => notAcceptedText("", value, accepted)],
  [
    /^Flag --(\S+) expects a value$/,
    ([, name = ""], _, invocation) => `--${name} needs a value: --${name} ${valuePlaceholder(name, invocation)}.`,
  ],
  [/^Flag --(\S+) can only be specified once$/, ([, name = ""]) => `--${name} is given more than once.`],
];

function explainUsageError(
  message: string,
  error: OclifError,
  invocation: Invocation = { id: "", flags: {}, args: {} },
) {
  for (const [pattern, render] of USAGE_RULES) {
    const found = pattern.exec(message);
    if (found) return render(found, error, invocation);
  }
  return undefined;
}

function unknownFlagText(flag: string, invocation: Invocation): string {
  const word = flag.replace(/^-+/, "").replace(/=.*$/s, "");
  const flagNames = Object.keys(invocation.flags).filter((name) => !invocation.flags[name]?.hidden);
  const suggestion = suggest(word, flagNames) ?? flagNames.find((name) => word !== "" && name.startsWith(word));
  const names = flagNames.map((name) => `--${name}`).join(", ");
  return suggestion === undefined
    ? `${commandName(invocation)} has no flag ${flag}. Accepted: ${names}.`
    : `${commandName(invocation)} has no flag ${flag}. Did you mean --${suggestion}?`;
}

function unexpectedArgumentsText(args: readonly string[], invocation: Invocation): string {
  const names = Object.keys(invocation.args).map((name) => name.toUpperCase());
  const takes = names.length === 0 ? "no arguments" : `only ${names.join(" ")}`;
  return `${commandName(invocation)} takes ${takes}; unexpected: ${args.join(" ")}.`;
}

function missingArgumentText(arg: unknown): string {
  const { name, description, options } = arg as { name: string; description?: string; options?: readonly string[] };
  const accepted = options === undefined ? "" : ` Accepted: ${options.join(", ")}.`;
  return `${name.toUpperCase()} is missing${description === undefined ? "." : `: ${description}`}${accepted}`;
}

function notIntegerText(name: string, value: string, invocation: Invocation): string {
  const { min, max } = invocation.flags[name] ?? {};
  const range = min === undefined ? "" : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
  return `--${name}: ${JSON.stringify(value)} is not accepted; accepted: an integer${range}.`;
}

function notAcceptedText(flag: string, value: string, accepted: string): string {
  const words = accepted.split(", ");
  const suggestion = suggest(value, words);
  const json = flag === "--format: " && value === "json" ? " For JSON, use --json." : "";
  return `${flag}${JSON.stringify(value)} is not accepted; accepted: ${accepted}.${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`}${json}`;
}

function valuePlaceholder(name: string, { flags }: Invocation): string {
  const { helpValue, options } = flags[name] ?? {};
  return options?.join("|") ?? (typeof helpValue === "string" ? helpValue : "<value>");
}

function commandName({ id }: Invocation): string {
  return `svcm ${id.replaceAll(":", " ")}`.trim();
}
