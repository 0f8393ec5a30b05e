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
  const hint =
    invocation === undefined ? "svcm help lists all commands" : `${nameOf(invocation)} --help shows how to use it`;
  return new UsageError(detailsOf(message, error, invocation) ?? message, hint);
}

const RULES: readonly (readonly [
  RegExp,
  (found: RegExpExecArray, error: OclifError, invocation: Invocation) => string,
])[] = [
  [
    /^Nonexistent flags?: /,
    (_, { flags = [] }, invocation) => flags.map((flag) => unknownFlag(flag, invocation)).join(" "),
  ],
  [/^Unexpected arguments?: /, (_, { args = [] }, invocation) => unexpected(args.map(String), invocation)],
  [/^Missing \d+ required args?/, (_, { args = [] }) => args.map(missing).join(" ")],
  [
    /^Parsing --(\S+) \n\tExpected an integer .*received: (.*)$/s,
    ([, name = "", given = ""], _, invocation) => notInteger(name, given, invocation),
  ],
  [
    /^Expected --([^=]+)=(.*) to be one of: (.*)$/s,
    ([, name = "", given = "", accepted = ""]) => notAccepted(`--${name}: `, given, accepted),
  ],
  [/^Expected (.*) to be one of: (.*)$/s, ([, given = "", accepted = ""]) => notAccepted("", given, accepted)],
  [
    /^Flag --(\S+) expects a value$/,
    ([, name = ""], _, invocation) => `--${name} needs a value: --${name} ${valueOf(name, invocation)}.`,
  ],
  [/^Flag --(\S+) can only be specified once$/, ([, name = ""]) => `--${name} is given more than once.`],
];

function detailsOf(message: string, error: OclifError, invocation: Invocation = { id: "", flags: {}, args: {} }) {
  for (const [pattern, words] of RULES) {
    const found = pattern.exec(message);
    if (found) return words(found, error, invocation);
  }
  return undefined;
}

function unknownFlag(given: string, invocation: Invocation): string {
  const word = given.replace(/^-+/, "").replace(/=.*$/s, "");
  const known = Object.keys(invocation.flags).filter((name) => !invocation.flags[name]?.hidden);
  const meant = suggest(word, known) ?? known.find((name) => word !== "" && name.startsWith(word));
  const names = known.map((name) => `--${name}`).join(", ");
  return meant === undefined
    ? `${nameOf(invocation)} has no flag ${given}. Accepted: ${names}.`
    : `${nameOf(invocation)} has no flag ${given}. Did you mean --${meant}?`;
}

function unexpected(given: readonly string[], invocation: Invocation): string {
  const names = Object.keys(invocation.args).map((name) => name.toUpperCase());
  const takes = names.length === 0 ? "no arguments" : `only ${names.join(" ")}`;
  return `${nameOf(invocation)} takes ${takes}; unexpected: ${given.join(" ")}.`;
}

function missing(arg: unknown): string {
  const { name, description, options } = arg as { name: string; description?: string; options?: readonly string[] };
  const accepted = options === undefined ? "" : ` Accepted: ${options.join(", ")}.`;
  return `${name.toUpperCase()} is missing${description === undefined ? "." : `: ${description}`}${accepted}`;
}

function notInteger(name: string, given: string, invocation: Invocation): string {
  const { min, max } = invocation.flags[name] ?? {};
  const range = min === undefined ? "" : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
  return `--${name}: ${JSON.stringify(given)} is not accepted; accepted: an integer${range}.`;
}

function notAccepted(flag: string, given: string, accepted: string): string {
  const words = accepted.split(", ");
  const meant = suggest(given, words);
  const json = flag === "--format: " && given === "json" ? " For JSON, use --json." : "";
  return `${flag}${JSON.stringify(given)} is not accepted; accepted: ${accepted}.${meant === undefined ? "" : ` Did you mean ${meant}?`}${json}`;
}

function valueOf(name: string, { flags }: Invocation): string {
  const { helpValue, options } = flags[name] ?? {};
  return options?.join("|") ?? (typeof helpValue === "string" ? helpValue : "<value>");
}

function nameOf({ id }: Invocation): string {
  return `svcm ${id.replaceAll(":", " ")}`.trim();
}
