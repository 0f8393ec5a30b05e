/** The fenced blocks of a Markdown page that contain commands. */

export interface Command {
  readonly line: number;
  readonly text: string;
  /** Accepted exit codes: 0, the N of a comment `# exit N`, or both for `# exits N if …`. */
  readonly codes: readonly number[];
  /** The output that a `console` block shows; `...` matches any text. */
  readonly output: string | undefined;
}

export interface Block {
  readonly commands: readonly Command[];
  /** The block is a program that keeps running; it is ready when it prints its first line. */
  readonly isLasting: boolean;
}

const FENCE = /^([ \t]*)```(sh|console)([^\n]*)\n([\s\S]*?)^\1```[ \t]*$/gm;

/** The blocks in the order of the page, except those with the attribute `no-run="…"`, which has the reason. */
export function blocksOf(page: string): Block[] {
  return Array.from(page.matchAll(FENCE), ({ index, 2: language, 3: attributes = "", 4: body = "" }) => {
    const line = page.slice(0, index).split("\n").length + 1;
    const commands = language === "sh" ? script(body, line) : session(body, line);
    return { commands: /\bno-run="[^"]+"/.test(attributes) ? [] : commands, isLasting: /\blasting\b/.test(attributes) };
  }).filter(({ commands }) => commands.length > 0);
}

/** A command ends with its line, unless the line ends with a backslash or leaves a quote or a here-document open. */
function script(body: string, first: number): Command[] {
  const found: Command[] = [];
  let open = "";
  for (const [index, row] of body.trimEnd().split("\n").entries()) {
    open += `${open && "\n"}${row}`;
    if (isOpen(open)) continue;
    if (!/^\s*(?:#|$)/.test(open)) found.push(commandOf(open, first + index, undefined));
    open = "";
  }
  return found;
}

function isOpen(text: string): boolean {
  const [, end] = /<<-?'?(\w+)/.exec(text) ?? [];
  if (end !== undefined) return !text.split("\n").slice(1).includes(end);
  return text.endsWith("\\") || (withoutComment(text).match(/'/g)?.length ?? 0) % 2 === 1;
}

const withoutComment = (text: string): string => text.replace(/\s#\s.*$/m, "");

/** A prompt and a command, followed by the output up to the next prompt. */
function session(body: string, first: number): Command[] {
  let line = first;
  return body.split(/^(?=\$ )/m).map((part) => {
    const [prompt = "", ...output] = part.split("\n");
    const command = commandOf(prompt.replace(/^\$ /, ""), line, output.join("\n").trim());
    line += output.length;
    return command;
  });
}

function commandOf(text: string, line: number, output: string | undefined): Command {
  const [, plural, code, isIf] = /# .*\bexit(s?) (\d+)( if\b)?/.exec(text) ?? [];
  const codes = code === undefined ? [0] : plural || isIf ? [0, Number(code)] : [Number(code)];
  return { line, text, codes, output };
}

/** Compares line by line; `...` at the end of a line or alone on a line matches any text. */
export function isPrinted(output: string, printed: string): boolean {
  const pattern = printed.split("...").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join("[\\s\\S]*?")}$`).test(trimmed(output));
}

const trimmed = (text: string): string => text.replaceAll(/[ \t]+$/gm, "").trim();
