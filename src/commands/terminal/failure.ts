import {
  describeError,
  findCodeDoc,
  errorTable,
  firstIssues,
  locatedMessage,
  renderText,
  suggestionText,
  SvcmError,
  type ErrorBody,
  type ErrorKind,
  suggest,
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import { fold } from "./table.ts";
import { paint, printable, stderrScreen, type Screen } from "./screen.ts";
import { writeErr } from "./output.ts";
import { CommandLineError, UsageError } from "./errors.ts";
import { andMore } from "../../core/words/text.ts";

export interface Failure {
  readonly exitCode: number;
  /** Absent if the command has already printed everything and only sets an exit code. */
  readonly body?: ErrorBody;
  readonly kind?: ErrorKind;
  readonly hint?: string | undefined;
  readonly source?: string | undefined;
  readonly stack?: string;
}

export function toFailure(error: unknown, invocation?: Invocation): Failure {
  if (error instanceof CommandLineError) return error;
  if (isOclifError(error)) return oclifFailure(error, invocation);
  const { exitCode, body, hint, source } = describeError(error);
  if (!(error instanceof SvcmError)) return { exitCode, body, stack: errorStack(error) };
  return { exitCode, body, kind: error.kind, hint, source };
}

export function printFailure(failure: Failure): void {
  const screen = stderrScreen();
  writeErr(printable(renderFailure(failure, Boolean(process.env["SVCM_DEBUG"]), screen), screen));
}

export function renderFailure(failure: Failure, debug: boolean, screen: Screen): string {
  const { body, kind, hint, stack } = failure;
  if (body === undefined) return "";
  const codes = codesOf(body, kind);
  const nextStep = hint ?? (body.issues?.length ? undefined : findRemedy(codes[0]));
  const lines = [
    ...(renderExcerpt(failure, screen) ?? messageLines(body, kind)),
    ...(nextStep === undefined ? [] : [`${paint.bold("Hint:")} ${nextStep}`]),
    ...(stack !== undefined && debug ? [stack] : []),
    ...(codes.length === 0 ? [] : [paint.dim(`${codes.join(", ")} (svcm explain ${codes[0]})`)]),
  ];
  return `${fold(lines.join("\n"), screen)}\n`;
}

function renderExcerpt({ body, kind, source }: Failure, { width }: Screen): string[] | undefined {
  const issues = body?.issues ?? [];
  const file = issues[0]?.at?.file;
  if (body === undefined || source === undefined || file === undefined) return undefined;
  const report = renderText({ file, text: source, issues, subjects: [] }, paint, { width });
  return [`${paint.red("Error:")} ${headline(body, kind)}`, "", report];
}

/** The first line is written for users; only the body contains the wording of the HTTP API. */
function messageLines(body: ErrorBody, kind: ErrorKind | undefined): string[] {
  const { listed, more } = firstIssues(body.issues ?? []);
  const issues = listed.map((issue) => `${locatedMessage(issue)}${suggestionText(issue)}`);
  const [first = "", ...rest] = (issues.length > 0 ? headline(body, kind) : (body.details ?? body.error)).split("\n");
  const messages = [first, ...rest, ...issues];
  const indented = [...rest, ...issues, ...andMore(more), ...pathUnlessIn(body.path, messages)];
  return [`${paint.red("Error:")} ${first}`, ...indented.map((line) => `  ${line}`)];
}

/** Codes of issues from commands that do not write. */
const READ_ONLY_CODES = new Set(["ENV_KEY_NOT_VISIBLE", "ENV_EXPORT_UNWRITABLE"]);

function headline({ error, issues = [], path }: ErrorBody, kind: ErrorKind | undefined): string {
  if (kind === "INVALID_PAYLOAD")
    return issues.every(({ code }) => READ_ONLY_CODES.has(code)) ? "Nothing is shown." : "Nothing was written.";
  const file = path ?? issues[0]?.at?.file ?? "The file";
  if (kind === "SUITE_FILE_FAILED") return `${file} cannot be read.`;
  return kind === "FACT_INVALID" ? `${file} is not valid.` : error;
}

function codesOf({ issues = [], code }: ErrorBody, kind: ErrorKind | undefined): string[] {
  const codes = [...issues.map((issue) => issue.code), ...(code === undefined ? [] : [code])];
  const documentedCodes = [...new Set(codes)].filter((each) => findCodeDoc(each) !== undefined);
  return documentedCodes.length > 0 || kind === undefined ? documentedCodes : [kind];
}

function findRemedy(code: string | undefined): string | undefined {
  return code === undefined ? undefined : findCodeDoc(code)?.remedy.replaceAll("`", "");
}

function pathUnlessIn(path: string | undefined, lines: readonly string[]): string[] {
  return path === undefined || lines.some((line) => line.includes(path)) ? [] : [path];
}

function oclifFailure(error: OclifError, invocation: Invocation | undefined): Failure {
  if ("code" in error && error.code === "EEXIT") return { exitCode: error.oclif.exit ?? 0 };
  if (error.name === "ModuleLoadError") {
    const { exitCode, error: words } = errorTable.DEFECT;
    return { exitCode, body: { error: words, code: "DEFECT", details: error.message }, stack: errorStack(error) };
  }
  return usageErrorOf(error, invocation);
}

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
