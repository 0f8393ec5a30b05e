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
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import { fold } from "./fit.ts";
import { paint, printable } from "./paint.ts";
import { writeErr } from "./output.ts";
import { stderrScreen, type Screen } from "./screen.ts";
import { CommandLineError } from "./errors.ts";
import { type Invocation, isOclifError, type OclifError, usageErrorOf } from "./usage.ts";
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
