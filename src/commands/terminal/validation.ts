import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import {
  deploymentsCheck,
  type DeploymentsCheckResponse,
  type documentSections,
  MAX_FILE_BYTES,
  reportFormats,
  countIssues,
  firstIssues,
  locationText,
  renderReport,
  severityText,
  toPrintable,
  type Issue,
} from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { paint, unpainted, stdoutScreen, type Screen, withVerdict, type Verdict } from "./screen.ts";
import { DEFAULT_DOCUMENT, documentFlag } from "./flags.ts";
import { TerminalFileError, UsageError } from "./errors.ts";
import { hostname } from "node:os";
import { fold } from "./table.ts";
import { andMore } from "../../core/words/text.ts";

export const documentArgs = {
  document: Args.string({
    ignoreStdin: true,
    description: `Document to validate, instead of --file. Defaults to ${DEFAULT_DOCUMENT}.`,
  }),
};

export const formatFlag = Flags.option({
  options: reportFormats,
  summary: "Format of the report: text for people, the others for tools.",
})({
  default: "text",
});

export const validationFlags = {
  file: documentFlag("Document to validate, relative to the repository root. Use - for standard input."),
  "stdin-filename": Flags.string({
    summary: "File name that the report shows for standard input, for example deployments.yaml.",
    default: "<stdin>",
    helpValue: "<file>",
  }),
  format: formatFlag,
};

type Section = (typeof documentSections)[number];

interface ValidationFlags {
  readonly file: string;
  readonly "stdin-filename": string;
  readonly format: (typeof reportFormats)[number];
}

export async function validate(
  command: SvcmCommand,
  { args, flags }: { readonly args: { readonly document?: string | undefined }; readonly flags: ValidationFlags },
  section?: Section,
): Promise<DeploymentsCheckResponse> {
  const document = selectDocument(args.document, flags.file);
  const isPiped = document === "-";
  const file = isPiped ? flags["stdin-filename"] : document;
  const content = isPiped ? await readStdin(MAX_FILE_BYTES) : undefined;
  const { maskedDocument, response, report } = await command.execute(deploymentsCheck, { file, content, section });
  if (!response.valid) command.setExitCode(1);
  if (command.jsonEnabled()) return response;
  if (flags.format === "text" && response.issues.length === 0)
    command.log(paint.green(validText(response.file, maskedDocument(), section)));
  else await printReport(command, report, flags.format);
  return response;
}

/** @throws {UsageError} if the argument and `--file` name different documents */
function selectDocument(argument: string | undefined, file: string): string {
  if (argument === undefined || argument === file) return file;
  if (file === DEFAULT_DOCUMENT) return argument;
  throw new UsageError(`Two documents were given: ${argument} and --file ${file}.`, "give only one of them");
}

const ENTRY_NAMES = {
  deployments: ["deploy target", "deploy targets"],
  interfaces: ["interface adapter", "interface adapters"],
} as const;

/** A section may be empty or absent. */
function validText(file: string, document: unknown, section: Section | undefined): string {
  if (section === undefined) return `${file} is valid.`;
  const value = (document as Partial<Record<Section, unknown>> | null)?.[section];
  if (section === "serviceConfiguration")
    return value === undefined
      ? `${file} has no service configuration.`
      : `The service configuration of ${file} is valid.`;
  const [one, many] = ENTRY_NAMES[section];
  const count = Array.isArray(value) ? value.length : 0;
  if (count === 0) return `${file} has no ${many}: there is nothing to validate.`;
  return count === 1 ? `The 1 ${one} of ${file} is valid.` : `The ${count} ${many} of ${file} are valid.`;
}

/** @throws {TerminalFileError} if it is larger than `maxBytes`, or cannot be read */
export async function readStdin(maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
    throw new TerminalFileError(code, "standard input", message);
  }
  if (length <= maxBytes) return Buffer.concat(chunks);
  throw new TerminalFileError("EFBIG", "standard input", `Standard input is larger than ${maxBytes} bytes.`);
}

export function renderIssues(issues: readonly Issue[], screen: Screen): string {
  return withVerdict(issuesVerdict(issues), renderIssueLines(issues, screen));
}

/** @param subject text before the count */
export function issuesVerdict(issues: readonly Issue[], subject = ""): Verdict {
  const error = issues.find(({ severity }) => severity === "error");
  const first = error ?? issues[0];
  const text = `${subject}${countIssues(issues)}.`;
  if (first === undefined) return { text, tone: "good" };
  return { text, tone: error === undefined ? "attention" : "bad", next: `svcm explain ${first.code}` };
}

/** Without the count. */
export function renderIssueLines(issues: readonly Issue[], screen: Screen): string {
  const { listed, more } = firstIssues(issues);
  const lines = listed.map((issue) => `${issue.at ? `${paint.bold(locationText(issue.at))} ` : ""}${issueText(issue)}`);
  const rest = andMore(more).map((text) => paint.dim(text));
  return fold([...lines, ...rest].join("\n"), screen);
}

/** @param subject text before the message */
export function issueText(issue: Issue, subject = ""): string {
  const { message, suggestion, code } = issue;
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  return `${severityText(issue, paint)} ${subject}${toPrintable(message)}${hint} ${paint.dim(code)}`;
}

export async function printReport(
  command: SvcmCommand,
  report: Parameters<typeof renderReport>[0],
  format: (typeof reportFormats)[number],
): Promise<void> {
  const isText = format === "text";
  const screen = stdoutScreen();
  const context = { version: command.config.version, now: Date.now(), hostname: hostname(), width: screen.width };
  const text = await renderReport(report, format, { ...context, paint: isText ? paint : unpainted });
  if (isText) command.log(fold(text, screen));
  else command.logExactly(text);
}
