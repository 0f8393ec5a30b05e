import { batch, computed, signal } from "@preact/signals";
import type { Client, LogLine, LogsFrame, LogsOptions } from "../../../client/index.ts";
import type { Api } from "../../data/api.ts";
import { toFailure } from "../monitoring/refusal.ts";
import { errorText } from "../../data/request-error.ts";

const MAX_LINES = 100_000;
const PAGE_SIZE = 500;

type Choice = Pick<LogsOptions, "grep" | "level">;

export interface LogFeedOptions {
  readonly app: string;
  readonly api: Pick<Api, "logs">;
  readonly subscribe: Client["logs"];
}

/** The server does the searching. */
export class LogFeed {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly older = signal<string | null>(null);
  readonly problem = signal("");
  readonly skipped = signal(0);
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
    void this.#follow(this.#stop.signal);
  }

  close(): void {
    this.#stop.abort();
  }

  hold(isHeld: boolean): void {
    if (isHeld !== (this.#seen.peek() !== undefined)) this.#seen.value = isHeld ? this.lines.peek().length : undefined;
  }

  async readOlder(): Promise<void> {
    const { app, api } = this.#options;
    const { level, grep } = this.#choice;
    const before = this.older.peek() ?? undefined;
    try {
      const page = await api.logs({ app, before, grep, level, ignoreCase: "true", limit: String(PAGE_SIZE) });
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
    const { app, subscribe } = this.#options;
    const options = { apps: [app], ...this.#choice, ignoreCase: true, tail: PAGE_SIZE };
    try {
      for await (const frame of subscribe({ ...options, signal: stop })) {
        if (stop.aborted) return;
        batch(() => this.#receive(frame));
      }
    } catch (error) {
      this.problem.value = toFailure(error).error;
    }
  }

  #receive({ begin, lines, skipped }: LogsFrame): void {
    if (begin) {
      this.lines.value = [];
      this.older.value = begin.older;
      this.problem.value = begin.problems.map(({ details }) => details).join(" ");
    }
    this.skipped.value += skipped;
    const all = [...this.lines.peek(), ...lines];
    const lost = Math.max(0, all.length - MAX_LINES);
    this.#moveSeen(-lost);
    this.lines.value = lost === 0 ? all : all.slice(lost);
  }

  #moveSeen(by: number): void {
    const seen = this.#seen.peek();
    if (seen !== undefined) this.#seen.value = Math.max(0, seen + by);
  }
}
