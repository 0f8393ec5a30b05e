import type {
  Change,
  ChangedSection,
  Effect,
  EffectAction,
  FieldChange,
  Note,
  DiffReport,
  DiffSide,
} from "../change.ts";
import { countIssues } from "../../../findings/rule.ts";

/** Distinguishes text of a document from svcm's own words. */
export type Quote = (text: string) => string;

const SECTIONS: Readonly<Record<ChangedSection, string>> = {
  document: "Document",
  runtimeEnvironment: "Runtime environment",
  serviceConfiguration: "Service configuration",
  interfaces: "Interfaces",
  deployments: "Deploy targets",
};

export function groupBySection(changes: readonly Change[]): { readonly title: string; readonly changes: Change[] }[] {
  return Object.entries(SECTIONS).flatMap(([name, title]) => {
    const own = changes.filter(({ section }) => section === name);
    return own.length === 0 ? [] : [{ title, changes: own }];
  });
}

export function countChanges(changes: readonly Change[]): string {
  if (changes.length === 0) return "no change in meaning";
  const kinds = KINDS.map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }));
  return kinds.flatMap(({ kind, count }) => (count === 0 ? [] : [`${count} ${kind}`])).join(", ");
}

const KINDS = ["added", "removed", "renamed", "changed"] as const;

/** `edge-2 renamed (was edge)` */
export function subjectText({ kind, name, previousName }: Change, quote: Quote): string {
  const subject = name === undefined ? [] : [name.trim() === "" ? "an entry without a name" : quote(name)];
  const was = previousName === undefined ? [] : [`(was ${quote(previousName)})`];
  return [...subject, kind, ...was].join(" ");
}

export function describeSide({ revision, commit = "", exists }: DiffSide, quote: Quote): string {
  const where = revision === undefined ? "the work tree" : `${quote(revision)} (${quote(commit.slice(0, 10))})`;
  return exists ? where : `${where}, where the file does not exist`;
}

/** `runtime: node20 -> node22`, or one value. */
export function fieldText(change: FieldChange, kind: Change["kind"], quote: Quote, arrow: string): string {
  const { field, from, to } = change;
  const [old, next] = distinctTexts(from, to);
  if (kind === "added") return `${quote(field)}: ${quote(next)}`;
  if (kind === "removed") return `${quote(field)}: ${quote(old)}`;
  const before = "from" in change ? quote(old) : "(none)";
  return `${quote(field)}: ${before} ${arrow} ${"to" in change ? quote(next) : "(none)"}`;
}

/** The number 22 and the text "22" look alike. */
function distinctTexts(from: unknown, to: unknown): readonly [string, string] {
  const plain = [plainText(from), plainText(to)] as const;
  return plain[0] === plain[1] ? [JSON.stringify(from) ?? "", JSON.stringify(to) ?? ""] : plain;
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function effectTexts({ effects }: Change, quote: Quote): string[] {
  return effects.length === 0 ? ["touches no process"] : effects.map((effect) => effectText(effect, quote));
}

function effectText(effect: Effect, quote: Quote): string {
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
  return `svcm does not know what this touches: ${reason}`;
}

const PROCESSES: Readonly<Record<EffectAction, string>> = {
  start: "PM2 apps to start:",
  stop: "PM2 apps to stop:",
  touch: "PM2 apps touched:",
};

export function noteText(note: Note, quote: Quote): string {
  return note.kind === "reordered"
    ? `${SECTIONS[note.section]} are in another order, which changes nothing.`
    : `${quote(note.name)} is written in another form, with the same meaning.`;
}

export function verdictText(which: "old" | "new", side: DiffSide): string | undefined {
  if (!side.exists) return undefined;
  const verdict = side.valid ? "valid" : "not valid";
  return `The ${which} document is ${verdict}${side.issues.length === 0 ? "" : `: ${countIssues(side.issues)}`}.`;
}

export function verdictTexts({ from, to }: DiffReport): string[] {
  const verdicts = [from.valid ? undefined : verdictText("old", from), verdictText("new", to)];
  return verdicts.filter((verdict) => verdict !== undefined);
}
