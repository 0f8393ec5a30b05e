import { writeOut } from "../output.ts";
import { printable } from "../paint.ts";
import { stdoutScreen } from "../screen.ts";
import type { Size } from "./view.ts";

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[2J";
const LEAVE = "\u001B[?25h\u001B[?1049l";
/** Terminals that support this show everything up to the end mark at once; others ignore it. */
const BEGIN_UPDATE = "\u001B[?2026h";
const END_UPDATE = "\u001B[?2026l";

export class FullScreen {
  readonly #screen = stdoutScreen();
  #drawnLines: readonly string[] = [];

  enter(): void {
    writeOut(ENTER);
  }

  leave(): void {
    writeOut(LEAVE);
  }

  clear(): void {
    this.#drawnLines = [];
    writeOut("\u001B[2J");
  }

  /** @returns false if the terminal is closed */
  draw(styledLines: readonly string[]): boolean {
    const lines = styledLines.map((line) => printable(line, this.#screen));
    const changes = changedLines(this.#drawnLines, lines);
    this.#drawnLines = lines;
    return changes === "" || writeOut(`${BEGIN_UPDATE}${changes}${END_UPDATE}`);
  }

  size(): Size {
    const { columns, rows } = process.stdout;
    return { columns: columns || 80, rows: rows || 24 };
  }
}

export function changedLines(before: readonly string[], after: readonly string[]): string {
  return after.map((line, row) => (line === before[row] ? "" : `\u001B[${row + 1};1H${line}\u001B[K`)).join("");
}

const SEQUENCES: Readonly<Record<string, string>> = {
  "\u001B[A": "up",
  "\u001BOA": "up",
  "\u001B[B": "down",
  "\u001BOB": "down",
  "\u001B": "escape",
  "\r": "enter",
  "\n": "enter",
  "\u007F": "backspace",
  "\b": "backspace",
  "\u0003": "ctrl-c",
};

/** Parses the input of raw mode and drops unknown sequences. */
export function parseKeys(input: string): string[] {
  // oxlint-disable-next-line no-control-regex -- what a terminal sends are control characters
  const parts = input.match(/\u001B(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[^]/gu) ?? [];
  return parts.flatMap((part) => {
    const key = SEQUENCES[part];
    if (key !== undefined) return [key];
    return /^\P{C}$/u.test(part) ? [part] : [];
  });
}
