import { parseRecord, isRecord } from "../words/record.ts";
import { packageRun } from "./package-run.ts";

/** Variables that a command sets after PM2 has handed over its own. */
export interface CommandValues {
  readonly values: ReadonlyMap<string, string>;
  /** Commands that may set others: those of a shell script, and those of `package.json` that end before the app starts. */
  readonly texts: readonly string[];
}

const STATEMENT = /&&|\|\||[;\n]/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
/** They run the command after the variables. */
const PREFIX = /^(?:exec|export|(?:\S*\/)?(?:env|cross-env(?:-shell)?(?:\.js)?))$/;

/**
 * @param line the script of the app, without its folder, and its arguments
 * @param texts of its shell script or of `package.json`
 * @param manifest the text of `package.json`
 */
export function commandValues(line: string, texts: readonly string[], manifest: string): CommandValues {
  const { scripts } = parseRecord(manifest) ?? {};
  const commands = [line];
  // A loop also visits what is added meanwhile.
  for (const command of commands) {
    const { script = "", target } = packageRun(commandWords(command)) ?? {};
    const isOwn = target === undefined && isRecord(scripts) && Object.hasOwn(scripts, script);
    const next = isOwn ? scripts[script] : undefined;
    const last = typeof next === "string" ? statementsIn(next).at(-1) : undefined;
    if (last !== undefined && !commands.includes(last)) commands.push(last);
  }
  return { values: new Map(commands.flatMap(assignmentsIn)), texts };
}

export function maySet({ texts }: CommandValues, key: string): boolean {
  return texts.some((text) => new RegExp(String.raw`(?:^|[\s;&|"'])${key}=`).test(text));
}

export function statementsIn(text: string): string[] {
  return text
    .split(STATEMENT)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

/** A value that the shell computes is not known. */
function assignmentsIn(command: string): [key: string, value: string][] {
  return variablesOf(command).flatMap((word): [string, string][] => {
    const [, key = "", value = ""] = ASSIGNMENT.exec(word) ?? [];
    return /[$`]/.test(value) ? [] : [[key, value.replaceAll(/["']/g, "")]];
  });
}

function wordsOf(command: string): string[] {
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.slice(words.findIndex((word) => !PREFIX.test(word)));
}

/** Without the variables before it. */
export function commandWords(command: string): string[] {
  return wordsOf(command).slice(variablesOf(command).length);
}

function variablesOf(command: string): string[] {
  const words = wordsOf(command);
  const end = words.findIndex((word) => !ASSIGNMENT.test(word));
  return end === -1 ? [] : words.slice(0, end);
}
