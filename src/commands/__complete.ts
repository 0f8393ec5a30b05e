import { completionList, toPrintable, type Completable } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { escapeForBash, splitLine, type TypedLine } from "./terminal/completion/shells.ts";
import { rootWords } from "./terminal/command-set.ts";
import { ARGUMENT_SOURCES, FLAG_SOURCES, type Source } from "./terminal/completion/sources.ts";

/** The scripts of `svcm completion` run this command at each Tab. */
export default class Complete extends SvcmCommand {
  static override hidden = true;
  static override strict = false;
  static override summary = "Answer a shell that completes a command line of svcm.";

  async run(): Promise<void> {
    const [shell, ...rest] = this.argv;
    const line = shell === "bash" ? splitLine(rest[1] ?? "") : { words: ["svcm", ...rest.slice(1)], quote: "" };
    const words = shell === "powershell" ? withoutMark(line.words.slice(1)) : line.words.slice(1);
    this.root = /(?:^|\0)--root[=\0]([^\0]+)\0/.exec(words.join("\0"))?.[1];
    const answer = await complete(words, this.config.commands, (source) =>
      this.execute(completionList, { source }).catch(() => []),
    );
    this.logExactly(renderForShell(answer, shell === "bash" ? { line, wordBreaks: rest[0] ?? "" } : undefined));
  }
}

/** The script for PowerShell marks the unfinished word, because an empty argument could be lost. */
function withoutMark(words: readonly string[]): string[] {
  return [...words.slice(0, -1), words.at(-1)?.replace(/^=/, "") ?? ""];
}

interface Bash {
  readonly line: TypedLine;
  readonly wordBreaks: string;
}

/** In the format of `completionScript`. bash does not show descriptions. */
function renderForShell({ candidates, paths }: Completion, bash: Bash | undefined): string {
  // The shell would insert the name, so a name with control characters is left out.
  const visibleCandidates = candidates.filter(({ value }) => toPrintable(value) === value);
  const isOpen = candidates.length > 0 && candidates.every(({ value }) => value.endsWith("="));
  const renderCandidate = ({ value, about }: Completable) => {
    if (bash) return escapeForBash(value, bash.line, bash.wordBreaks);
    return about ? `${value}\t${toPrintable(about)}` : value;
  };
  return [isOpen ? "open" : paths, ...visibleCandidates.map(renderCandidate)].join("\n");
}

export interface CommandSpec {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly hiddenAliases?: readonly string[];
  readonly hidden?: boolean;
  readonly summary?: string | undefined;
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] }>>;
  readonly flags: Readonly<Record<string, FlagSpec>>;
}

interface FlagSpec {
  readonly type: "option" | "boolean";
  readonly char?: string;
  readonly hidden?: boolean;
  readonly multiple?: boolean;
  readonly summary?: string | undefined;
  readonly options?: readonly string[];
}

interface Completion {
  readonly candidates: readonly Completable[];
  /** The shell completes paths if there are no candidates. */
  readonly paths: "none" | "files" | "folders";
}

export type AskSource = (source: string) => Promise<readonly Completable[]>;

const NOTHING: Completion = { candidates: [], paths: "none" };

/** @param words the words after the name of the program; the last one is unfinished */
export async function complete(
  words: readonly string[],
  commands: readonly CommandSpec[],
  ask: AskSource,
): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const visibleCommands = commands.filter(({ hidden }) => !hidden);
  const { command, rest } = findCommand(words.slice(0, -1), visibleCommands);
  if (command === undefined) return filterByPrefix(nextWords(words.slice(0, -1), visibleCommands), typed);
  if (command.id === "help" && !typed.startsWith("-")) return filterByPrefix(nextWords(rest, visibleCommands), typed);
  const completion = await completeCommand(command, rest, typed, ask);
  return filterByPrefix(completion.candidates, typed, completion.paths);
}

async function completeCommand(
  command: CommandSpec,
  rest: readonly string[],
  typed: string,
  ask: AskSource,
): Promise<Completion> {
  const { pendingFlag, usedFlags, positionals } = parseWords(command, rest);
  if (pendingFlag) return completeFlag(command, pendingFlag, "", ask);
  const [, prefix, name] = /^(--([\w-]+)=)/.exec(typed) ?? [];
  const flag = name === undefined ? undefined : findFlag(command, `--${name}`);
  if (flag && prefix) return completeFlag(command, flag, prefix, ask);
  if (typed.startsWith("-") && !rest.includes("--"))
    return { candidates: availableFlags(command, usedFlags), paths: "none" };
  return completeArgument(command, positionals, typed, ask);
}

interface ParsedWords {
  readonly pendingFlag: string | undefined;
  readonly usedFlags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

function parseWords(command: CommandSpec, rest: readonly string[]): ParsedWords {
  const usedFlags = new Set<string>();
  const positionals: string[] = [];
  let pendingFlag: string | undefined;
  for (const word of rest) {
    if (pendingFlag !== undefined) {
      pendingFlag = undefined;
      continue;
    }
    const flag = findFlag(command, word.split("=")[0] ?? "");
    if (flag === undefined) positionals.push(word);
    else usedFlags.add(flag);
    if (flag && !word.includes("=") && command.flags[flag]?.type === "option") pendingFlag = flag;
  }
  return { pendingFlag, usedFlags, positionals: positionals.filter((word) => word !== "--") };
}

function findFlag({ flags }: CommandSpec, spelling: string): string | undefined {
  if (!spelling.startsWith("-")) return undefined;
  if (spelling.startsWith("--")) return Object.hasOwn(flags, spelling.slice(2)) ? spelling.slice(2) : undefined;
  return Object.keys(flags).find((name) => `-${flags[name]?.char}` === spelling);
}

function availableFlags({ flags }: CommandSpec, usedFlags: ReadonlySet<string>): Completable[] {
  return Object.entries(flags)
    .filter(([name, { hidden, multiple }]) => !hidden && (multiple || !usedFlags.has(name)))
    .map(([name, { summary = "" }]) => ({ value: `--${name}`, about: summary }));
}

async function completeFlag(command: CommandSpec, name: string, prefix: string, ask: AskSource): Promise<Completion> {
  const { options } = command.flags[name] ?? {};
  const source =
    FLAG_SOURCES[`${command.id} ${name}`] ?? FLAG_SOURCES[`${command.id.split(":")[0]}: ${name}`] ?? FLAG_SOURCES[name];
  return completeFrom(options, source, prefix, ask);
}

async function completeArgument(
  command: CommandSpec,
  positionals: readonly string[],
  typed: string,
  ask: AskSource,
): Promise<Completion> {
  const listed = ARGUMENT_SOURCES[command.id] ?? [];
  const last = listed.at(-1);
  const source = listed[positionals.length] ?? (last?.repeats ? last : undefined);
  const options = Object.values(command.args)[positionals.length]?.options;
  if (source?.assigns && typed.includes("=")) {
    const key = typed.slice(0, typed.indexOf("="));
    return completeFrom(undefined, { from: `${source.assigns}:${key}` }, `${key}=`, ask);
  }
  const completion = await completeFrom(options, source, "", ask);
  const isUsed = ({ value }: Completable) => positionals.includes(value);
  const candidates = completion.candidates.filter((candidate) => !source?.repeats || !isUsed(candidate));
  return source?.assigns
    ? { ...completion, candidates: candidates.map((one) => ({ ...one, value: `${one.value}=` })) }
    : { ...completion, candidates };
}

async function completeFrom(
  options: readonly string[] | undefined,
  source: Source | undefined,
  prefix: string,
  ask: AskSource,
): Promise<Completion> {
  const values =
    (options ?? source?.values)?.map((value): Completable => ({ value })) ??
    (source?.from ? await ask(source.from) : []);
  const candidates = values.map((one) => ({ ...one, value: `${prefix}${one.value}` }));
  return { candidates, paths: source?.paths ?? "none" };
}

function findCommand(words: readonly string[], commands: readonly CommandSpec[]) {
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(":");
    const isNamed = (one: CommandSpec): boolean => [one.id, ...aliasesOf(one)].includes(id);
    const command = commands.find((one) => isNamed(one) && !aliasesOf(one).includes(one.id));
    if (command) return { command, rest: words.slice(length) };
  }
  return { command: undefined, rest: words };
}

function aliasesOf({ aliases = [], hiddenAliases = [] }: CommandSpec): string[] {
  return [...aliases, ...hiddenAliases];
}

/** At the start, only the words of the root help. */
function nextWords(words: readonly string[], commands: readonly CommandSpec[]): Completable[] {
  const idPrefix = words.map((word) => `${word}:`).join("");
  const offered = words.length === 0 ? rootWords() : undefined;
  const next = new Map<string, string>();
  for (const { id, summary = "" } of commands.filter(({ id: full }) => full.startsWith(idPrefix))) {
    const [word = "", ...more] = id.slice(idPrefix.length).split(":");
    if (offered?.has(word) === false) continue;
    if (more.length === 0 || !next.has(word)) next.set(word, more.length === 0 ? summary : "");
  }
  return [...next].map(([value, about]) => ({ value, about }));
}

function filterByPrefix(
  candidates: readonly Completable[],
  typed: string,
  paths: Completion["paths"] = "none",
): Completion {
  if (candidates.length === 0 && paths === "none") return NOTHING;
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), paths };
}
