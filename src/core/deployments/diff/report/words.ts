/** A change in words. How a name or value of the document is set, the renderer says. */
import { unreadableAsCodes } from "../../../findings/cells.ts";
import type { Change, ChangedSection, Effect, EffectAction, FieldChange, Note } from "../change.ts";
import { countIssues } from "../../../findings/report.ts";
import type { DiffReport, DiffSide } from "./diff-report.ts";

/** Sets what comes from a document, so that it cannot be taken for words of ours. */
export type Quote = (text: string) => string;

const SECTIONS: Readonly<Record<ChangedSection, string>> = {
  document: "Document",
  runtimeEnvironment: "Runtime environment",
  serviceConfiguration: "Service configuration",
  interfaces: "Interfaces",
  deployments: "Deploy targets",
};

/** The changes by their section, in the order of the report. */
export function bySection(changes: readonly Change[]): { readonly title: string; readonly changes: Change[] }[] {
  return Object.entries(SECTIONS).flatMap(([name, title]) => {
    const own = changes.filter(({ section }) => section === name);
    return own.length === 0 ? [] : [{ title, changes: own }];
  });
}

/** `1 added, 2 changed`. */
export function countChanges(changes: readonly Change[]): string {
  if (changes.length === 0) return "no change in meaning";
  const kinds = KINDS.map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }));
  return kinds.flatMap(({ kind, count }) => (count === 0 ? [] : [`${count} ${kind}`])).join(", ");
}

const KINDS = ["added", "removed", "renamed", "changed"] as const;

/** What a change is about: `edge-2 renamed (was edge)`. */
export function tellSubject({ kind, name, previousName }: Change, quote: Quote): string {
  const subject = name === undefined ? [] : [name.trim() === "" ? "an entry without a name" : quote(name)];
  const was = previousName === undefined ? [] : [`(was ${quote(previousName)})`];
  return [...subject, kind, ...was].join(" ");
}

/** What was asked for, and the commit that it is. */
export function nameSide({ revision, commit = "", exists }: DiffSide, quote: Quote): string {
  const where = revision === undefined ? "the work tree" : `${quote(revision)} (${quote(commit.slice(0, 10))})`;
  return exists ? where : `${where}, where the file does not exist`;
}

/** `runtime: node20 -> node22`; only the value of an entry that comes or goes. */
export function tellField(change: FieldChange, kind: Change["kind"], quote: Quote, arrow: string): string {
  const { field, from, to } = change;
  const [old, young] = told(from, to);
  if (kind === "added") return `${quote(field)}: ${quote(young)}`;
  if (kind === "removed") return `${quote(field)}: ${quote(old)}`;
  const before = "from" in change ? quote(old) : "(none)";
  return `${quote(field)}: ${before} ${arrow} ${"to" in change ? quote(young) : "(none)"}`;
}

/** Both values as text: as JSON where they would read alike, for example the number 22 and the text "22". */
function told(from: unknown, to: unknown): readonly [string, string] {
  const plain = [plainText(from), plainText(to)] as const;
  return plain[0] === plain[1] ? [JSON.stringify(from) ?? "", JSON.stringify(to) ?? ""] : plain;
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** What a change touches, a line each. */
export function tellEffects({ effects }: Change, quote: Quote): string[] {
  return effects.length === 0 ? ["no process is touched"] : effects.map((effect) => tellEffect(effect, quote));
}

function tellEffect(effect: Effect, quote: Quote): string {
  if (effect.kind === "process") {
    const apps = effect.appSuffixes.map((suffix) => quote(`*${suffix}`)).join(", ");
    const where = effect.ecosystem === undefined ? "in every ecosystem file" : `in ${quote(effect.ecosystem)}`;
    return `${PROCESSES[effect.action]} ${apps} ${where}`;
  }
  if (effect.kind === "provider") {
    const verb = effect.action === "stop" ? "remove" : "deploy";
    return `${verb} at the provider, ${quote(effect.provider)}; no PM2 process`;
  }
  const { field, value } = effect;
  const reason =
    value === undefined
      ? `it has no ${quote(field)}`
      : `the capability matrix has no ${quote(field)} ${quote(plainText(value))}`;
  return `what it touches is not known: ${reason}`;
}

const PROCESSES: Readonly<Record<EffectAction, string>> = {
  start: "PM2 apps to start:",
  stop: "PM2 apps to stop:",
  touch: "PM2 apps touched:",
};

export function tellNote(note: Note, quote: Quote): string {
  return note.kind === "reordered"
    ? `${SECTIONS[note.section]} stand in another order; that is no change.`
    : `${quote(note.name)} is written in another form, with the same meaning.`;
}

/** The verdict on a side, or nothing where there is none to tell. */
export function tellVerdict(which: "old" | "new", side: DiffSide): string | undefined {
  if (!side.exists) return undefined;
  const verdict = side.valid ? "valid" : "not valid";
  return `The ${which} document is ${verdict}${side.issues.length === 0 ? "" : `: ${countIssues(side.issues)}`}.`;
}

/** The verdicts: always that on the new document, that on the old one where it is not valid. */
export function tellVerdicts({ from, to }: DiffReport): string[] {
  const verdicts = [from.valid ? undefined : tellVerdict("old", from), tellVerdict("new", to)];
  return verdicts.filter((verdict) => verdict !== undefined);
}

/** At most `limit` characters on one line; what cannot be seen is told by its code point. */
export function setOnOneLine(text: string, limit: number): string {
  const line = unreadableAsCodes(text);
  const characters = Array.from(line);
  if (characters.length > limit) return `${characters.slice(0, limit - 1).join("")}…`;
  return line === "" ? "(empty)" : line;
}
