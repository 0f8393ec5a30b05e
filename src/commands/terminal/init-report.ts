import type { InitResponse } from "../../core/index.ts";
import { paint } from "./paint.ts";
import { pluralize } from "../../core/words/text.ts";

const MAX_KEYS = 6;

export function initReport({ found, keys, guesses, plan, machine, written }: InitResponse): string {
  const { looked, isCut, frameworks, pm2, undecided, env, notUnderstood } = found;
  const summary = `Looked at ${pluralize(looked, "file")}${isCut ? ", and stopped there" : ""}. Nothing was run; values are not shown.`;
  const lines = [
    summary,
    "",
    ...(frameworks.length > 0 ? [row("Code", frameworks.join(", "))] : []),
    ...labelledLines(
      "PM2",
      pm2.map(
        ({ path, environments, isGuess }) => `${path}  ${environmentsText(environments)}${isGuess ? " (a guess)" : ""}`,
      ),
      "no file found",
    ),
    ...labelledLines(
      "Open",
      undecided.map(
        ({ file, environment, why }) => `${file}  ${environment ?? "every environment"}: ${why ?? "undecided"}`,
      ),
    ),
    ...labelledLines(
      "Env",
      env.map(
        ({ path, kind, isEncrypted }) =>
          `${path}${kind === "template" ? "  template" : ""}${isEncrypted ? "  encrypted" : ""}`,
      ),
      "no file found",
    ),
    row("Keys", `${countKeys(keys)} found`),
    ...keyLines("can be shown", keys.open),
    ...keyLines("kept back", keys.secret),
    ...keyLines("undecided, and kept back", keys.undecided, guesses),
    ...machineLines(machine),
    ...labelledLines(
      "Note",
      notUnderstood.map(({ path, line, what }) => `${path}:${line}: ${what}`),
    ),
  ];
  return [
    ...lines,
    "",
    ...plan.flatMap((file) => planLines(file, written.length > 0)),
    ...(plan.length === 0 && !machine.isNew
      ? [pm2.length + env.length + countKeys(keys) === 0 ? NOTHING : "Nothing new."]
      : []),
  ].join("\n");
}

const NOTHING =
  "Nothing found to propose: svcm looks for ecosystem files of PM2, env files, and code that reads variables.\nWrite an ecosystem file, for example with pm2 init simple, and run svcm init again.";

function machineLines({ accepted, environment, by, isNew }: InitResponse["machine"]): string[] {
  if (environment === null)
    return accepted.length < 2
      ? []
      : [row("Here", `not known whether ${accepted.join(" or ")}; --machine-environment says it`)];
  const source = isNew
    ? "for commands without -e from now on"
    : by === "init"
      ? "as svcm init recorded"
      : "by the last apply";
  return [row("Here", `${environment}, ${source}`)];
}

function environmentsText(environments: Readonly<Record<string, string | null>>): string {
  return Object.entries(environments)
    .map(([name, env]) => (env === null ? name : `${name}: --env ${env}`))
    .join(", ");
}

function planLines({ path, isNew, before, text }: InitResponse["plan"][number], isWritten: boolean): string[] {
  const verb = isWritten ? "Wrote" : isNew ? "Would write" : "Would add to";
  const added = isNew ? text.split("\n").slice(0, -1) : addedLines(before, text);
  return [paint.bold(`${verb} ${path}:`), ...added.map((line) => paint.green(`+ ${line}`)), ""];
}

function addedLines(before: string, text: string): string[] {
  const existingLines = new Set(before.split("\n"));
  return text.split("\n").filter((line) => line !== "" && !existingLines.has(line));
}

function keyLines(words: string, names: readonly string[], reasons: Readonly<Record<string, string>> = {}): string[] {
  if (names.length === 0) return [];
  const visibleNames = names.slice(0, MAX_KEYS).join(" ");
  const more = names.length > MAX_KEYS ? " ..." : "";
  const [first = ""] = names;
  const why = reasons[first] === undefined ? "" : ` (${reasons[first]})`;
  return [row("", `${names.length} ${words}: ${visibleNames}${more}${why}`)];
}

function labelledLines(label: string, lines: readonly string[], none?: string): string[] {
  if (lines.length === 0) return none === undefined ? [] : [row(label, none)];
  return lines.map((line, index) => row(index === 0 ? label : "", line));
}

function row(label: string, text: string): string {
  return `${label.padEnd(6)} ${text}`;
}

function countKeys({ open, secret, undecided }: InitResponse["keys"]): number {
  return open.length + secret.length + undecided.length;
}
