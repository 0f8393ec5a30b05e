import { suggest } from "../../core/index.ts";
import { UsageError } from "./errors.ts";

export interface Asked {
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

export function usageErrorOf(error: OclifError, asked: Asked | undefined): UsageError {
  const message = error.message.replace("\nSee more help with --help", "");
  const hint = asked === undefined ? "svcm help lists all commands" : `${nameOf(asked)} --help shows how to use it`;
  return new UsageError(detailsOf(message, error, asked) ?? message, hint);
}

const RULES: readonly (readonly [RegExp, (found: RegExpExecArray, error: OclifError, asked: Asked) => string])[] = [
  [/^Nonexistent flags?: /, (_, { flags = [] }, asked) => flags.map((flag) => unknownFlag(flag, asked)).join(" ")],
  [/^Unexpected arguments?: /, (_, { args = [] }, asked) => unexpected(args.map(String), asked)],
  [/^Missing \d+ required args?/, (_, { args = [] }) => args.map(missing).join(" ")],
  [
    /^Parsing --(\S+) \n\tExpected an integer .*received: (.*)$/s,
    ([, name = "", given = ""], _, asked) => notInteger(name, given, asked),
  ],
  [
    /^Expected --([^=]+)=(.*) to be one of: (.*)$/s,
    ([, name = "", given = "", accepted = ""]) => notAccepted(`--${name}: `, given, accepted),
  ],
  [/^Expected (.*) to be one of: (.*)$/s, ([, given = "", accepted = ""]) => notAccepted("", given, accepted)],
  [
    /^Flag --(\S+) expects a value$/,
    ([, name = ""], _, asked) => `--${name} needs a value: --${name} ${valueOf(name, asked)}.`,
  ],
  [/^Flag --(\S+) can only be specified once$/, ([, name = ""]) => `--${name} is given more than once.`],
];

function detailsOf(message: string, error: OclifError, asked: Asked = { id: "", flags: {}, args: {} }) {
  for (const [pattern, words] of RULES) {
    const found = pattern.exec(message);
    if (found) return words(found, error, asked);
  }
  return undefined;
}

function unknownFlag(given: string, asked: Asked): string {
  const word = given.replace(/^-+/, "").replace(/=.*$/s, "");
  const known = Object.keys(asked.flags).filter((name) => !asked.flags[name]?.hidden);
  const meant = suggest(word, known) ?? known.find((name) => word !== "" && name.startsWith(word));
  const names = known.map((name) => `--${name}`).join(", ");
  return meant === undefined
    ? `${nameOf(asked)} has no flag ${given}. Accepted: ${names}.`
    : `${nameOf(asked)} has no flag ${given}. Did you mean --${meant}?`;
}

function unexpected(given: readonly string[], asked: Asked): string {
  const names = Object.keys(asked.args).map((name) => name.toUpperCase());
  const takes = names.length === 0 ? "no arguments" : `only ${names.join(" ")}`;
  return `${nameOf(asked)} takes ${takes}; unexpected: ${given.join(" ")}.`;
}

function missing(arg: unknown): string {
  const { name, description, options } = arg as { name: string; description?: string; options?: readonly string[] };
  const accepted = options === undefined ? "" : ` Accepted: ${options.join(", ")}.`;
  return `${name.toUpperCase()} is missing${description === undefined ? "." : `: ${description}`}${accepted}`;
}

function notInteger(name: string, given: string, asked: Asked): string {
  const { min, max } = asked.flags[name] ?? {};
  const range = min === undefined ? "" : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
  return `--${name}: ${JSON.stringify(given)} is not accepted; accepted: an integer${range}.`;
}

function notAccepted(flag: string, given: string, accepted: string): string {
  const words = accepted.split(", ");
  const meant = suggest(given, words);
  const json = flag === "--format: " && given === "json" ? " For JSON, use --json." : "";
  return `${flag}${JSON.stringify(given)} is not accepted; accepted: ${accepted}.${meant === undefined ? "" : ` Did you mean ${meant}?`}${json}`;
}

function valueOf(name: string, { flags }: Asked): string {
  const { helpValue, options } = flags[name] ?? {};
  return options?.join("|") ?? (typeof helpValue === "string" ? helpValue : "<value>");
}

function nameOf({ id }: Asked): string {
  return `svcm ${id.replaceAll(":", " ")}`.trim();
}
