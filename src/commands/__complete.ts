import { completionList, toPrintable, type Completable } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { complete, type Completion } from "./terminal/completion/complete.ts";
import { escapeForBash, splitLine, type TypedLine } from "./terminal/completion/shells.ts";

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
