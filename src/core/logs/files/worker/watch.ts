import { lineSize } from "../../line.ts";
import type { LogFilter } from "../../port-logs.ts";
import type { OutputLine } from "../packed.ts";
import { type LineFilter, matchesFilter, type ScrubbedLine } from "./line.ts";
import { isSelected, type Target } from "./process-list.ts";
import { requireMatcher } from "./read-logs.ts";

const MAX_LINES = 500;
const MAX_BYTES = 256 * 1024;

/** The new lines for the readers of one filter. Without a lossless reader, the oldest lines are dropped. */
export class Watch {
  readonly filter: LogFilter;
  readonly isLossless: boolean;
  /** False until the readers have taken the last batch. */
  isReady = true;
  lines: OutputLine[] = [];
  readonly #lineFilter: LineFilter;
  #bytes = 0;
  #skipped = 0;

  /** @throws {LogFailure} LOG_PATTERN_INVALID */
  constructor(filter: LogFilter, isLossless: boolean) {
    this.filter = filter;
    this.isLossless = isLossless;
    this.#lineFilter = { level: filter.level, matches: requireMatcher(filter) };
  }

  accepts(target: Target, line: ScrubbedLine, atMs: number): boolean {
    return isSelected(target, this.filter) && matchesFilter(this.#lineFilter, line, target, () => atMs);
  }

  add(line: OutputLine): void {
    this.lines.push(line);
    this.#bytes += lineSize(line);
    if (this.isLossless) return;
    while (this.lines.length > MAX_LINES || (this.#bytes > MAX_BYTES && this.lines.length > 1)) {
      const dropped = this.lines.shift();
      this.#bytes -= dropped === undefined ? 0 : lineSize(dropped);
      this.#skipped += 1;
    }
  }

  takeBatch(): { readonly lines: readonly OutputLine[]; readonly skipped: number } | undefined {
    const { lines } = this;
    const skipped = this.#skipped;
    if (lines.length === 0 && skipped === 0) return undefined;
    this.lines = [];
    this.#bytes = 0;
    this.#skipped = 0;
    this.isReady = false;
    return { lines, skipped };
  }
}
