import { formatFields, type LogLine } from "../../core/index.ts";
import { inLocalTime } from "../../core/words/time.ts";
import { paint, unpainted, type Screen } from "./screen.ts";

const SECOND_CHARACTERS = "2026-01-31T08:00:00".length;

export function renderLogLines(lines: readonly LogLine[], { colours }: Pick<Screen, "colours">): string {
  // Without any time, as PM2 writes logs by default, there is no column of times.
  const timeWidth = inLocalTime(lines.find(({ at }) => at !== null)?.at ?? "").length;
  const headFor = createHeadRenderer(colours > 0 ? paint : unpainted, timeWidth);
  // Without colours, one search over all lines is faster.
  if (colours === 0) return withoutStyleMarks(lines.map((line) => render(line, headFor(line), unpainted)).join("\n"));
  return lines
    .map(withoutStyleMarksInLine)
    .map((line) => render(line, headFor(line), paint))
    .join("\n");
}

function render({ text, fields }: LogLine, head: string, { dim }: typeof paint): string {
  if (fields === undefined && !text.includes("\n")) return head + text;
  const [first = "", ...more] = text.split("\n");
  return [`${head}${first}${dim(formatFields(fields))}`, ...more.map((line) => `    ${line}`)].join("\n");
}

/** Caches the last head, because most lines begin like the previous one. */
function createHeadRenderer(colours: typeof paint, timeWidth: number): (line: LogLine) => string {
  let last: LogLine | undefined;
  let head = "";
  return (line) => {
    if (last === undefined || !hasSameHead(last, line)) head = headOf(line, colours, timeWidth);
    last = line;
    return head;
  };
}

function hasSameHead(a: LogLine, b: LogLine): boolean {
  const isSameSecond = a.at === b.at || a.at?.slice(0, SECOND_CHARACTERS) === b.at?.slice(0, SECOND_CHARACTERS);
  return isSameSecond && a.app === b.app && a.pmId === b.pmId && a.level === b.level && a.stream === b.stream;
}

function headOf({ at, app, pmId, level, stream }: LogLine, colours: typeof paint, timeWidth: number): string {
  const { cyan, dim } = colours;
  const source = pmId === null ? app : `${app} (${pmId})`;
  const parts = [
    timeWidth === 0 ? "" : dim(at === null ? " ".repeat(timeWidth) : inLocalTime(at)),
    cyan(source),
    levelMark(level, stream, colours),
  ];
  return parts.map((part) => (part === "" ? "" : `${part}  `)).join("");
}

const COLOURS = { trace: "dim", debug: "dim", info: "green", warn: "yellow", error: "red", fatal: "bold" } as const;

function levelMark(level: LogLine["level"], stream: LogLine["stream"], colours: typeof paint): string {
  if (level === null) return stream === "err" ? colours.red("err") : "";
  return colours[COLOURS[level]](level);
}

function withoutStyleMarksInLine({ app, text, fields, ...line }: LogLine): LogLine {
  const clean = Object.entries(fields ?? {}).map((entry) => entry.map(withoutStyleMarks));
  return {
    ...line,
    app: withoutStyleMarks(app),
    text: withoutStyleMarks(text),
    ...(fields && { fields: Object.fromEntries(clean) as Record<string, string> }),
  };
}

/** Styles are marked with noncharacters, which a log may contain, too. */
function withoutStyleMarks(text: string): string {
  return text.replaceAll(/[\uFDD0-\uFDEF]/g, "\uFFFD");
}
