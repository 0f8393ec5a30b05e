import pjson from "../../package.json" with { type: "json" };
import { rootHelp } from "../commands/terminal/command-set.ts";
import { presentSubjects } from "../commands/terminal/present-subjects.ts";
import { stdoutScreen } from "../commands/terminal/screen.ts";
import { repositoryRoot, workingFolder } from "../core/index.ts";

const HELP_WIDTH = 80;
const HELP_WORDS = new Set(["--help", "-h", "help"]);
const VERSION_WORDS = new Set(["--version", "-v", "version"]);

/** Without loading oclif. */
export function earlyAnswer(argv: readonly string[]): string | undefined {
  const [only = "", ...more] = argv;
  if (more.length > 0) return undefined;
  if (VERSION_WORDS.has(only))
    return `${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}\n`;
  if (!HELP_WORDS.has(only)) return undefined;
  const { width = HELP_WIDTH, colours } = stdoutScreen();
  const bold = (text: string): string => (colours === 0 ? text : `\u001B[1m${text}\u001B[22m`);
  return rootHelp(presentSubjects(currentRoot()), { width, bold });
}

/** Help is also for a folder that was removed. */
function currentRoot(): string | undefined {
  try {
    return repositoryRoot({ env: process.env, cwd: workingFolder() });
  } catch {
    return undefined;
  }
}

/** Without a command, svcm shows the state. The hidden flag adds the groups of commands. */
export function withDefaultCommand(argv: readonly string[]): string[] {
  const [first] = argv;
  if (first === undefined) return ["status", "--groups"];
  const isFlag = first.startsWith("-") && !HELP_WORDS.has(first) && !VERSION_WORDS.has(first);
  return isFlag && !argv.some((word) => HELP_WORDS.has(word)) ? ["status", ...argv] : [...argv];
}
