import type { Completable } from "../../../core/index.ts";
import { rootWords } from "../command-set.ts";
import { ARGUMENT_SOURCES, FLAG_SOURCES, type Source } from "./sources.ts";

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

export interface Completion {
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
