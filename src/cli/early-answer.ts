import { readFileSync } from "node:fs";
import pjson from "../../package.json" with { type: "json" };
import { colourLevel, isStdoutTerminal } from "../commands/terminal/screen.ts";

export const HELP_FILES = { plain: "help.txt", coloured: "help.ansi.txt" } as const;
export const HELP_COLUMNS = 80;

/** The version includes the platform, so the files have a placeholder. */
export const VERSION_MARK = "{version}";

export function earlyAnswer(argv: readonly string[], dist: string): string | undefined {
  const [only = "--help", ...more] = argv;
  if (more.length > 0) return undefined;
  if (["--version", "-v", "version"].includes(only)) return `${version()}\n`;
  return only === "--help" || only === "-h" ? rootHelp(dist) : undefined;
}

export function version(): string {
  return `${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}`;
}

function rootHelp(dist: string): string | undefined {
  const isTerminal = isStdoutTerminal();
  if (isTerminal && process.stdout.columns < HELP_COLUMNS) return undefined;
  const file = colourLevel(process.env, isTerminal) === 0 ? HELP_FILES.plain : HELP_FILES.coloured;
  return readFileSync(`${dist}/${file}`, "utf8").replace(VERSION_MARK, version());
}
