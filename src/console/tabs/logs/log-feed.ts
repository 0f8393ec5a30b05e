import { batch, computed, signal } from "@preact/signals";
import type { ConnectionState, LogLine, LogsFrame, LogsOptions } from "../../../client/index.ts";
import type { Api } from "../../data/api.ts";
import type { Feed } from "../monitoring/feed.ts";
import { toFailure } from "../monitoring/refusal.ts";
import { errorText } from "../../data/request-error.ts";

const MAX_LINES = 100_000;
const PAGE_SIZE = 500;

type Choice = Pick<LogsOptions, "grep" | "level">;

export interface LogFeedOptions {
  readonly apps: readonly string[];
  readonly api: Pick<Api, "logs">;
  readonly follow: Feed["logs"];
}

/** The server does the searching. */
export class LogFeed {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly older = signal<string | null>(null);
  readonly problem = signal("");
  readonly skipped = signal(0);
  /** False before the first lines of a search. */
  readonly hasBegun = signal(false);
  /** Since when no line can arrive, in milliseconds; `undefined` while the log is followed. */
  readonly stoppedAt = signal<number | undefined>();
  /** True if the log is opened again only on request. */
  readonly isEnded = signal(false);
  readonly fresh = computed(() => (this.#seen.value === undefined ? 0 : this.lines.value.length - this.#seen.value));
  readonly #seen = signal<number | undefined>(undefined);
  readonly #options: LogFeedOptions;
  #choice: Choice = {};
  #stop = new AbortController();

  constructor(options: LogFeedOptions) {
    this.#options = options;
  }

  open(choice: Choice): void {
    this.#choice = choice;
    this.#stop.abort();
    this.#stop = new AbortController();
    batch(() => {
      this.skipped.value = 0;
      this.hasBegun.value = false;
      this.isEnded.value = false;
      this.stoppedAt.value = undefined;
      this.problem.value = "";
    });
    void this.#follow(this.#stop.signal);
  }

  close(): void {
    this.#stop.abort();
  }

  hold(isHeld: boolean): void {
    if (isHeld !== (this.#seen.peek() !== undefined)) this.#seen.value = isHeld ? this.lines.peek().length : undefined;
  }

  async readOlder(): Promise<void> {
    const { apps, api } = this.#options;
    const { level, grep } = this.#choice;
    const before = this.older.peek() ?? undefined;
    try {
      const page = await api.logs({
        apps: apps.join(","),
        before,
        grep,
        level,
        ignoreCase: "true",
        limit: String(PAGE_SIZE),
      });
      batch(() => {
        this.lines.value = [...page.lines, ...this.lines.peek()].slice(0, MAX_LINES);
        this.#moveSeen(page.lines.length);
        this.older.value = page.older;
      });
    } catch (error) {
      this.problem.value = errorText(error);
    }
  }

  async #follow(stop: AbortSignal): Promise<void> {
    const { apps, follow } = this.#options;
    const options = { apps: [...apps], ...this.#choice, ignoreCase: true, tail: PAGE_SIZE, signal: stop };
    const onState = (state: ConnectionState): void => {
      if (state !== "live" && !stop.aborted) this.stoppedAt.value ??= Date.now();
    };
    try {
      for await (const frame of follow(options, onState)) {
        if (stop.aborted) return;
        batch(() => this.#receive(frame));
      }
    } catch (error) {
      if (!stop.aborted) this.problem.value = toFailure(error).error;
    }
    if (stop.aborted) return;
    this.stoppedAt.value ??= Date.now();
    this.isEnded.value = true;
  }

  #receive({ begin, lines, skipped }: LogsFrame): void {
    let fresh: readonly LogLine[] = lines;
    if (begin) {
      this.problem.value = begin.problems.map(({ details }) => details).join(" ");
      // After an interruption, the lines go on where they ended, if the new ones reach back to there.
      const known = new Set(this.hasBegun.peek() ? this.lines.peek().slice(-PAGE_SIZE).map(identify) : []);
      fresh = lines.filter((line) => !known.has(identify(line)));
      if (fresh.length === lines.length) {
        this.lines.value = [];
        this.older.value = begin.older;
      }
      this.hasBegun.value = true;
      this.stoppedAt.value = undefined;
    }
    this.skipped.value += skipped;
    const all = [...this.lines.peek(), ...fresh];
    const lost = Math.max(0, all.length - MAX_LINES);
    this.#moveSeen(-lost);
    this.lines.value = lost === 0 ? all : all.slice(lost);
  }

  #moveSeen(by: number): void {
    const seen = this.#seen.peek();
    if (seen !== undefined) this.#seen.value = Math.max(0, seen + by);
  }
}

function identify({ file, offset, text }: LogLine): string {
  return `${file} ${offset} ${text}`;
}
