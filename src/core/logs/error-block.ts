/** The reason in an error log: the first line of its last error. Lines may have the prefix of PM2 or of a logger. */

/** Starts like a date or a time, as every `log_date_format` does in practice, and ends as PM2 ends it. */
const PREFIX =
  /^(?=\W{0,2}(?:\d|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))[^{}()'"]{0,60}\d)[\w .,:/+[\]-]{3,60}?\d(?: ?(?:[ap]m|Z)|[+-]\d\d:?\d\d)?\]?: /i;
/** At least a date or a time with two numbers. */
const DATED = /\d[-/.:]\d|\d(?:st|nd|rd|th)\b|\d{9}/;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?: $/;

/** Keeps the indentation. */
export function withoutPrefix(line: string): string {
  const [prefix = ""] = PREFIX.exec(line) ?? [];
  return DATED.test(prefix) && !ADDRESS.test(prefix) ? line.slice(prefix.length) : line;
}

const FRAME = /^\s*at (?:.+[ (])?(?:<anonymous>|native|\S+:\d+(?::\d+)?|async .+)\)?(?: \{|,)?$/;
/** Marker lines below source code, and what Node.js and V8 print around an error. */
const DETAIL =
  /^\s*(?:[~^]+|[{}\]],?|\]?\}|Node\.js v[\d.]+|Bun v[\d.]+.*|(?:errno|code|syscall|address|port|path|dest|spawnargs|cmd|killed|signal): .+|throw er; \/\/ Unhandled 'error' event|Emitted '\w+' event (?:on .+ )?at:|\.\.\. \d+ (?:more items|lines matching .+))?$/;
/** Native frames, and times of collections. */
const REPORT =
  /^\s*(?:-{3,} .+ -{3,}|<--- .+ --->|\[\d+:0x[\da-f]+\].*|\d+: (?:0x[\da-f]+ .*|\S+:\d+:\d+|.+ \(\S+:\d+:\d+\)))$/;
/** Node.js writes it last. */
export const LAST_OF_UNCAUGHT = /(?:^|\s)Node\.js v\d+\.\d+\.\d+$/;
const REQUIRE_STACK = /^\s*(?:Require stack:|requireStack: .+|- (?:\/|[a-z]:\\|file:).+)$/i;
const SOURCE = /^(?:(?:file:\/\/)?(?:\/|[a-z]:\\)\S.*|node:[\w/]+|\S+\.[cm]?[jt]sx?):\d+(?::\d+)?$/i;
const ERROR =
  /^(?:<ref \*\d+> )?\[?(?:Uncaught )?(?:[\w$.]*(?:Error|Exception|Rejection)\b(?: \[\w+\])?|FATAL ERROR)(?::|$|\])/;
/** PM2 writes it before a rejection in cluster mode. */
const ANNOUNCEMENT = /^(?:You have triggered an unhandledRejection, |Unhandled (?:promise )?rejection(?: at:?)?\s*$)/i;
/** Python writes a line of source code below each. */
const PYTHON_FRAME = /^\s+File ".+", line \d+(?:, in .+)?$/;
/** PM2 stops a process with SIGINT, which Python reports so. */
const PYTHON_STOP = /^(?:Traceback \(most recent call last\):|KeyboardInterrupt)$/;
const NO_REASON = [FRAME, DETAIL, REPORT, REQUIRE_STACK, ANNOUNCEMENT, PYTHON_FRAME, PYTHON_STOP];
/** Source code above an error has at most a few lines. */
const MAX_SOURCE_LINES = 8;

type LineKind = "error" | "detail" | "plain";

interface Line {
  readonly text: string;
  readonly kind: LineKind;
}

export interface ErrorBlock {
  /** The first line of the last error, or the last line if the log has no error. */
  readonly reason: string | undefined;
  readonly hasError: boolean;
  /** The last lines without stacks, oldest first. */
  readonly lines: readonly string[];
}

/** @param lines oldest first; `isError` if its logger says so; `hasOlder` if the log has more of them */
export function lastErrorBlock(
  lines: readonly { readonly text: string; readonly isError?: boolean | undefined }[],
  hasOlder = false,
): ErrorBlock {
  const kinds = classify(lines.map(({ text }) => withoutPrefix(text))).map((line, at): Line =>
    line.kind === "plain" && lines[at]?.isError === true ? { ...line, kind: "error" } : line,
  );
  const shown = kinds.filter(({ kind }) => kind !== "detail").map(({ text }) => text.trim());
  const error = kinds.findLast(({ kind }) => kind === "error")?.text.trim();
  const reason = error ?? shown.at(-1);
  return {
    reason: reason && unbracket(reason),
    hasError: error !== undefined,
    lines: collapseRepeats(shown.map(unbracket), hasOlder),
  };
}

function classify(lines: readonly string[]): Line[] {
  const found: Line[] = [];
  let isSource = false;
  let sourceLines = 0;
  for (const [at, text] of lines.entries()) {
    const kind = kindOf(text);
    if (kind === "error") isSource = false;
    else if (SOURCE.test(text) && lines.slice(at + 1, at + 1 + MAX_SOURCE_LINES).some((line) => ERROR.test(line))) {
      isSource = true;
      sourceLines = 0;
    }
    const isHidden = isSource && (sourceLines += 1) <= MAX_SOURCE_LINES;
    const isQuoted = PYTHON_FRAME.test(lines[at - 1] ?? "") && /^\s/.test(text);
    found.push({ text, kind: isHidden || isQuoted ? "detail" : kind });
  }
  return found;
}

function kindOf(text: string): LineKind {
  if (NO_REASON.some((pattern) => pattern.test(text))) return "detail";
  if (ERROR.test(text)) return "error";
  // Members and the cause of an error that is printed as an object.
  return /^\s+(?:\[?\w+\]?|'\w+'): /.test(text) ? "detail" : "plain";
}

/** `[Error: no stack]` is how Node.js prints an error without a stack. */
function unbracket(line: string): string {
  const [, inner] = /^\[(.*Error\b.*)\](?: \{)?$/.exec(line) ?? [];
  return (inner ?? line).replace(/ \{$/, "");
}

/** Each end of a crash loop writes the same lines. If the log has older ones, the first may be repeated more often. */
function collapseRepeats(lines: readonly string[], hasOlder: boolean): readonly string[] {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }, at) => {
    const least = at === 0 && hasOlder ? "at least " : "";
    return count === 1 ? line : `${line} (${least}${count} times)`;
  });
}

export interface ErrorTail {
  readonly lines: readonly string[];
  readonly writtenMs: number;
  /** The last write to its standard output; `undefined` if it is not known. */
  readonly outputMs?: number | undefined;
}
