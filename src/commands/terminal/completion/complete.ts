import type { Completable } from "../../../core/index.ts";
import { ARGUMENTS, FLAGS, type Source } from "./sources.ts";

export interface KnownCommand {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
  readonly summary?: string | undefined;
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] }>>;
  readonly flags: Readonly<Record<string, KnownFlag>>;
}

interface KnownFlag {
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
  commands: readonly KnownCommand[],
  ask: AskSource,
): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const shown = commands.filter(({ hidden }) => !hidden);
  const { command, rest } = commandOf(words.slice(0, -1), shown);
  if (command === undefined) return matching(nextWords(words.slice(0, -1), shown), typed);
  if (command.id === "help" && !typed.startsWith("-")) return matching(nextWords(rest, shown), typed);
  const completion = await behind(command, rest, typed, ask);
  return matching(completion.candidates, typed, completion.paths);
}

async function behind(
  command: KnownCommand,
  rest: readonly string[],
  typed: string,
  ask: AskSource,
): Promise<Completion> {
  const { pending, given, positionals } = parsed(command, rest);
  if (pending) return fromFlag(command, pending, "", ask);
  const [, spelled, name] = /^(--([\w-]+)=)/.exec(typed) ?? [];
  const flag = name === undefined ? undefined : flagNamed(command, `--${name}`);
  if (flag && spelled) return fromFlag(command, flag, spelled, ask);
  if (typed.startsWith("-") && !rest.includes("--")) return { candidates: openFlags(command, given), paths: "none" };
  return fromArgument(command, positionals, typed, ask);
}

interface Parsed {
  readonly pending: string | undefined;
  readonly given: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

function parsed(command: KnownCommand, rest: readonly string[]): Parsed {
  const given = new Set<string>();
  const positionals: string[] = [];
  let pending: string | undefined;
  for (const word of rest) {
    if (pending !== undefined) {
      pending = undefined;
      continue;
    }
    const flag = flagNamed(command, word.split("=")[0] ?? "");
    if (flag === undefined) positionals.push(word);
    else given.add(flag);
    if (flag && !word.includes("=") && command.flags[flag]?.type === "option") pending = flag;
  }
  return { pending, given, positionals: positionals.filter((word) => word !== "--") };
}

function flagNamed({ flags }: KnownCommand, spelled: string): string | undefined {
  if (!spelled.startsWith("-")) return undefined;
  if (spelled.startsWith("--")) return Object.hasOwn(flags, spelled.slice(2)) ? spelled.slice(2) : undefined;
  return Object.keys(flags).find((name) => `-${flags[name]?.char}` === spelled);
}

function openFlags({ flags }: KnownCommand, given: ReadonlySet<string>): Completable[] {
  return Object.entries(flags)
    .filter(([name, { hidden, multiple }]) => !hidden && (multiple || !given.has(name)))
    .map(([name, { summary = "" }]) => ({ value: `--${name}`, about: summary }));
}

async function fromFlag(command: KnownCommand, name: string, prefix: string, ask: AskSource): Promise<Completion> {
  const { options } = command.flags[name] ?? {};
  const source = FLAGS[`${command.id} ${name}`] ?? FLAGS[`${command.id.split(":")[0]}: ${name}`] ?? FLAGS[name];
  return answered(options, source, prefix, ask);
}

async function fromArgument(
  command: KnownCommand,
  positionals: readonly string[],
  typed: string,
  ask: AskSource,
): Promise<Completion> {
  const listed = ARGUMENTS[command.id] ?? [];
  const last = listed.at(-1);
  const source = listed[positionals.length] ?? (last?.repeats ? last : undefined);
  const options = Object.values(command.args)[positionals.length]?.options;
  if (source?.assigns && typed.includes("=")) {
    const key = typed.slice(0, typed.indexOf("="));
    return answered(undefined, { from: `${source.assigns}:${key}` }, `${key}=`, ask);
  }
  const completion = await answered(options, source, "", ask);
  const isUsed = ({ value }: Completable) => positionals.includes(value);
  const candidates = completion.candidates.filter((candidate) => !source?.repeats || !isUsed(candidate));
  return source?.assigns
    ? { ...completion, candidates: candidates.map((one) => ({ ...one, value: `${one.value}=` })) }
    : { ...completion, candidates };
}

async function answered(
  options: readonly string[] | undefined,
  source: Source | undefined,
  prefix: string,
  ask: AskSource,
): Promise<Completion> {
  const values = options?.map((value): Completable => ({ value })) ?? (source?.from ? await ask(source.from) : []);
  const candidates = values.map((one) => ({ ...one, value: `${prefix}${one.value}` }));
  return { candidates, paths: source?.paths ?? "none" };
}

function commandOf(words: readonly string[], commands: readonly KnownCommand[]) {
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(":");
    const isAsked = (one: KnownCommand): boolean => one.id === id || one.aliases?.includes(id) === true;
    const command = commands.find((one) => isAsked(one) && !one.aliases?.includes(one.id));
    if (command) return { command, rest: words.slice(length) };
  }
  return { command: undefined, rest: words };
}

function nextWords(words: readonly string[], commands: readonly KnownCommand[]): Completable[] {
  const begin = words.map((word) => `${word}:`).join("");
  const next = new Map<string, string>();
  for (const { id, summary = "" } of commands.filter(({ id: full }) => full.startsWith(begin))) {
    const [word = "", ...more] = id.slice(begin.length).split(":");
    if (more.length === 0 || !next.has(word)) next.set(word, more.length === 0 ? summary : "");
  }
  return [...next].map(([value, about]) => ({ value, about }));
}

function matching(candidates: readonly Completable[], typed: string, paths: Completion["paths"] = "none"): Completion {
  if (candidates.length === 0 && paths === "none") return NOTHING;
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), paths };
}
