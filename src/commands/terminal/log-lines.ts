import { auditText, type LogLine } from "../../core/index.ts";
import { paint } from "./paint.ts";

const { bold, cyan, dim, green, red, yellow } = paint;
const NO_TIME = " ".repeat("2026-01-31 08:00:00Z".length);

/** One line of text for each line of a log; a stack trace follows it, indented. */
export function renderLogLines(lines: readonly LogLine[]): string {
  return lines.map(render).join("\n");
}

function render({ at, app, pmId, stream, level, text, fields = {} }: LogLine): string {
  const [first = "", ...more] = withoutMarks(text).split("\n");
  const source = pmId === null ? app : `${app} (${pmId})`;
  const named = Object.entries(fields).map(([name, value]) => ` ${withoutMarks(`${name}=${value}`)}`);
  const head = [
    dim(at === null ? NO_TIME : auditText.secondOf(at)),
    cyan(withoutMarks(source)),
    levelMark(level, stream),
  ];
  return [
    `${head.filter((part) => part !== "").join("  ")}  ${first}${dim(oneLine(named.join("")))}`,
    ...more.map((line) => `    ${line}`),
  ].join("\n");
}

const COLOURS = { trace: dim, debug: dim, info: green, warn: yellow, error: red, fatal: bold } as const;

function levelMark(level: LogLine["level"], stream: LogLine["stream"]): string {
  if (level === null) return stream === "err" ? red("err") : "";
  return COLOURS[level](level);
}

/** The marks of a style are noncharacters, which a log may have. */
function withoutMarks(text: string): string {
  return text.replaceAll(/[\uFDD0-\uFDEF]/g, "\uFFFD");
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
