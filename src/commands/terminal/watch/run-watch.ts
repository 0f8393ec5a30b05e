import { describeError, SvcmError } from "../../../core/index.ts";
import { renderLogLines } from "../log-lines.ts";
import { paint, printable, stdoutScreen } from "../screen.ts";
import type { WatchSource } from "./source.ts";
import {
  MAX_LOG_LINES,
  reduce,
  initialState,
  type Connection,
  type Effect,
  type Target,
  type WatchEvent,
  type WatchState,
} from "./state.ts";
import { viewLines, type Size } from "./view.ts";
import { writeOut } from "../output.ts";

const EMPTY_LOG = "The log is empty.";

export interface WatchOptions {
  readonly environment: string;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly onConnection: (listener: ((connection: Connection, reason?: string) => void) | undefined) => void;
}

/** Always restores the terminal. */
export async function runWatch(source: WatchSource, options: WatchOptions): Promise<void> {
  const screen = new FullScreen();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const view = new LiveView(screen, source, options, stop);
  const onKeys = (input: Buffer): void => {
    for (const key of parseKeys(input.toString("utf8"))) view.dispatch({ type: "key", key });
  };
  const onResize = (): void => {
    screen.clear();
    view.draw();
  };
  const { stdin, stdout } = process;
  const hasKeys = stdin.isTTY;
  try {
    screen.enter();
    if (hasKeys) stdin.setRawMode(true).on("data", onKeys).resume();
    stdout.on("resize", onResize);
    options.onConnection((connection, reason) => view.dispatch({ type: "connection", connection, reason }));
    view.draw();
    await view.watch(signal);
  } finally {
    // Otherwise the end of the connection would be drawn over the restored terminal.
    options.onConnection(undefined);
    stdout.off("resize", onResize);
    if (hasKeys) stdin.off("data", onKeys).setRawMode(false).pause();
    screen.leave();
  }
}

class LiveView {
  readonly #screen: FullScreen;
  readonly #source: WatchSource;
  readonly #stop: AbortController;
  #state: WatchState;
  #sampling = new AbortController();
  #log = new AbortController();

  constructor(
    screen: FullScreen,
    source: WatchSource,
    { environment, intervalMs }: WatchOptions,
    stop: AbortController,
  ) {
    this.#screen = screen;
    this.#source = source;
    this.#stop = stop;
    this.#state = initialState({ environment, origin: source.origin, intervalMs });
  }

  dispatch(event: WatchEvent): void {
    const { state, effect } = reduce(this.#state, event);
    this.#state = state;
    if (effect !== undefined) this.#runEffect(effect);
    this.draw();
  }

  draw(): void {
    if (!this.#screen.draw(viewLines(this.#state, this.#screen.size(), paint))) this.#stop.abort();
  }

  /** A different interval needs a new watch. */
  async watch(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      this.#sampling = new AbortController();
      const signal = AbortSignal.any([stopped, this.#sampling.signal]);
      for await (const sample of this.#source.samples(this.#state.intervalMs, signal)) {
        if (!signal.aborted) this.dispatch({ type: "sample", sample });
      }
      if (!signal.aborted) return;
    }
  }

  #runEffect(effect: Effect): void {
    switch (effect.type) {
      case "quit":
        return this.#stop.abort();
      case "interval":
        return this.#sampling.abort();
      case "details":
        return void this.#showDetails(effect.target);
      case "log":
        return void this.#followLog(effect.target);
      case "leave-log":
        return this.#log.abort();
      case "act":
        void this.#act(effect);
    }
  }

  async #showDetails(target: Target): Promise<void> {
    const lines = await this.#source.details(target).catch((error: unknown) => [messageOf(error)]);
    this.dispatch({ type: "details", target, lines });
  }

  async #followLog(target: Target): Promise<void> {
    this.#log = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, this.#log.signal]);
    try {
      for await (const { lines, begin } of this.#source.log(target, MAX_LOG_LINES, signal)) {
        const text = renderLogLines(lines, { colours: 0 });
        const logLines = text === "" ? [] : text.split("\n");
        const isFirst = begin !== undefined;
        const isEmpty = isFirst && logLines.length === 0;
        if (!signal.aborted) this.dispatch({ type: "log", lines: isEmpty ? [EMPTY_LOG] : logLines, isFirst });
      }
    } catch (error) {
      if (!signal.aborted) this.dispatch({ type: "log", lines: [messageOf(error)], isFirst: true });
    }
  }

  async #act({ action, target }: Extract<Effect, { type: "act" }>): Promise<void> {
    const what = `${action} ${target.name} (id ${target.pmId})`;
    try {
      await this.#source.act(action, target);
      this.dispatch({ type: "notice", text: `${what}: done.`, isBad: false });
    } catch (error) {
      this.dispatch({ type: "notice", text: `${what}: ${messageOf(error)}`, isBad: true });
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof SvcmError) {
    const { body } = describeError(error);
    return body.details ?? body.error;
  }
  return error instanceof Error ? error.message : String(error);
}

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
