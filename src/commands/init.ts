import * as Flags from "@oclif/core/flags";
import { projectInit, type InitResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { UsageError } from "./terminal/errors.ts";
import { canPrompt, confirm, withPrompter } from "./terminal/prompt.ts";
import { paint } from "./terminal/screen.ts";
import { nameList, pluralize, shellQuote } from "../core/words/text.ts";

interface Answers {
  readonly allow: string[] | undefined;
  readonly health: Record<string, string> | undefined;
  readonly machineEnvironment: string | undefined;
}

/** Asks for the facts that no file has. An empty answer leaves one open. */
async function askOpenQuestions(command: SvcmCommand, proposal: InitResponse, given: Answers): Promise<Answers> {
  const { keys, found, machine } = proposal;
  const open = hasNewProject(proposal) ? keys.open : [];
  // A probe belongs to a service, and only one can be meant without its name.
  const canProbe = hasNewProject(proposal) && new Set(found.pm2.map(({ home }) => home)).size === 1;
  return withPrompter(command, async (prompter) => {
    const words = async (question: string, accepted: readonly string[]): Promise<string[] | undefined> => {
      const typed = (await prompter.ask(question, accepted)).split(/[\s,]+/).filter((word) => word !== "");
      return typed.length === 0 ? undefined : typed;
    };
    const shown = `${open.slice(0, MAX_SHOWN).join(" ")}${open.length > MAX_SHOWN ? " ..." : ""}`;
    const allow =
      given.allow ?? (open.length > 0 ? await words(`Keys that svcm may change, of ${shown}: `, open) : undefined);
    const isUnknown = given.machineEnvironment === undefined && isMachineUnknown(proposal);
    const question = `Environment of this machine, of ${machine.accepted.join(" ")}: `;
    const machineEnvironment = isUnknown ? (await words(question, machine.accepted))?.[0] : given.machineEnvironment;
    if (given.health !== undefined || !canProbe) return { allow, health: given.health, machineEnvironment };
    const typed = await words("Path of a health check, for example api=/health: ", []);
    return { allow, health: typed && readHealth(typed), machineEnvironment };
  });
}

const MAX_SHOWN = 8;

function hasNewProject({ plan }: InitResponse): boolean {
  return plan.some(({ path, isNew }) => isNew && path.endsWith("svcm.yaml"));
}

function isMachineUnknown({ machine }: InitResponse): boolean {
  return machine.environment === null && machine.byDefault === null && machine.accepted.length > 1;
}

function hasOpenQuestions(proposal: InitResponse): boolean {
  return hasNewProject(proposal) || isMachineUnknown(proposal);
}

function readAnswers(flags: {
  readonly allow?: string[] | undefined;
  readonly health?: string[] | undefined;
  readonly "machine-environment"?: string | undefined;
}): Answers {
  return {
    allow: flags.allow,
    health: flags.health && readHealth(flags.health),
    machineEnvironment: flags["machine-environment"],
  };
}

function readHealth(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
    throw new UsageError(
      `--health: ${JSON.stringify(text)} is not accepted; accepted: app=/path.`,
      "svcm init --health api=/health",
    );
  });
  return Object.fromEntries(pairs);
}

/** Every one of them works without a further choice. */
function nextLine({ found: { undecided, running } }: InitResponse): string {
  if (undecided.length > 0)
    return "Next: decide about the files below undecided in svcm.yaml, then svcm init --confirm";
  if (running.length === 0) return "Next: svcm doctor";
  return `Next: declare ${namesOf(running)} in an ecosystem file, name it below ecosystem in svcm.yaml, then svcm plan`;
}

function namesOf(running: InitResponse["found"]["running"]): string {
  return nameList([...new Set(running.map(({ name }) => name))]);
}

export default class Init extends SvcmCommand {
  static override summary = "Set svcm up in this repository: find its PM2 files, env files and keys.";
  static override description =
    "Runs no file of the repository, and neither shows nor writes values. Proposes svcm.yaml and the line .svcm/ in .gitignore, and writes them after you agree. A key whose value may be shown is a guess until you confirm it, and no key becomes editable. A second run adds new keys, names files that svcm.yaml does not name, and changes nothing else.";
  static override examples = [
    "<%= config.bin %> init",
    "<%= config.bin %> init --dry-run",
    "<%= config.bin %> init --only layout --dry-run",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ summary: "Show the proposal and write nothing.", exclusive: ["yes", "check"] }),
    yes: Flags.boolean({ char: "y", summary: "Write without asking.", exclusive: ["check"] }),
    check: Flags.boolean({ summary: "Write nothing; exit 1 if there is something to write." }),
    confirm: Flags.boolean({
      summary: "Remove the list of undecided PM2 files from svcm.yaml, and nothing else.",
      exclusive: ["only"],
    }),
    allow: Flags.string({ summary: "Key that svcm may write. Repeatable.", helpValue: "<key>", multiple: true }),
    health: Flags.string({
      summary: "Path that answers if an app is healthy, for example api=/health. Repeatable.",
      helpValue: "<app=path>",
      multiple: true,
    }),
    "machine-environment": Flags.string({
      summary: "Environment that commands on this machine mean without -e. It is recorded in PM2_HOME.",
      helpValue: "<env>",
    }),
    only: Flags.option({ summary: "Limit the proposal to this part.", options: ["layout", "keys"] as const })(),
  };

  async run(): Promise<InitResponse> {
    const { flags } = await this.parse(Init);
    let answers = readAnswers(flags);
    const run = (write: boolean): Promise<InitResponse> =>
      this.execute(projectInit, { write, only: flags.only, confirm: flags.confirm, ...answers });
    let proposal = await run(flags.yes);
    const isAsking = ![flags.yes, flags.check, flags["dry-run"], flags.confirm].includes(true);
    if (isAsking && canPrompt(this) && hasOpenQuestions(proposal)) {
      answers = await askOpenQuestions(this, proposal, answers);
      proposal = await run(false);
    }
    // It is an answer already, and changes no file of the repository.
    if (isAsking && proposal.plan.length === 0 && proposal.machine.isNew) proposal = await run(true);
    this.log(initReport(proposal));
    if (proposal.written.length > 0) this.log(nextLine(proposal));
    if (flags.yes || flags["dry-run"] || proposal.plan.length === 0) return proposal;
    if (!flags.check) return await this.#offer(proposal, run);
    this.setExitCode(1);
    return proposal;
  }

  async #offer(proposal: InitResponse, run: (write: boolean) => Promise<InitResponse>): Promise<InitResponse> {
    if (!canPrompt(this))
      this.log(
        `Nothing was written, because no terminal can answer the question.\nNext: ${["svcm", "init", ...this.argv, "--yes"].map((word) => shellQuote(word)).join(" ")}`,
      );
    else if (await confirm(`Write ${proposal.plan.map(({ path }) => path).join(" and ")}?`)) {
      const done = await run(true);
      this.log(`Wrote ${done.written.join(" and ")}.\n\n${nextLine(done)}`);
      return done;
    } else this.log("Nothing was written.");
    this.setExitCode(1);
    return proposal;
  }
}

const MAX_KEYS = 6;

function initReport({ found, keys, guesses, unnamed, plan, machine, written }: InitResponse): string {
  const { looked, isCut, frameworks, pm2, undecided, running, env, notUnderstood } = found;
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
      running.length === 0
        ? "no file found"
        : `no file found; it runs ${namesOf(running)}, which plan, apply and drift leave out without an ecosystem file`,
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
    ...unnamedLines(unnamed),
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
      ? [nothingText(unnamed, pm2.length + env.length + countKeys(keys) === 0)]
      : []),
  ].join("\n");
}

function unnamedLines(paths: readonly string[]): string[] {
  return labelledLines(
    "Others",
    paths.map((path) => `${path}  no environment of svcm.yaml names it`),
  );
}

function nothingText(unnamed: readonly string[], isEmpty: boolean): string {
  if (isEmpty) return NOTHING;
  if (unnamed.length === 0) return "Nothing new.";
  return `No new key.\nNext: name ${nameList(unnamed)} below ecosystem or env in svcm.yaml, or delete what nothing uses.`;
}

const NOTHING =
  "Nothing found to propose: svcm looks for ecosystem files of PM2, env files, and code that reads variables.\nWrite an ecosystem file, for example with pm2 init simple, and run svcm init again.";

function machineLines({ accepted, environment, by, byDefault, isNew }: InitResponse["machine"]): string[] {
  if (environment === null && accepted.length < 2) return [];
  if (environment === null && byDefault !== null) return [row("Here", `${byDefault}, the default of svcm.yaml`)];
  if (environment === null)
    return [row("Here", `not known whether ${accepted.join(" or ")}; --machine-environment says it`)];
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
  const removed = linesOnlyIn(before, text);
  const added = isNew ? text.split("\n").slice(0, -1) : linesOnlyIn(text, before);
  const verb = isNew ? "Would write" : removed.length > 0 ? "Would remove from" : "Would add to";
  return [
    paint.bold(`${isWritten ? "Wrote" : verb} ${path}:`),
    ...removed.map((line) => paint.red(`- ${line}`)),
    ...added.map((line) => paint.green(`+ ${line}`)),
    "",
  ];
}

function linesOnlyIn(text: string, other: string): string[] {
  const otherLines = new Set(other.split("\n"));
  return text.split("\n").filter((line) => line !== "" && !otherLines.has(line));
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
