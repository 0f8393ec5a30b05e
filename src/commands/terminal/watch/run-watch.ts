import { describeError, SvcmError } from "../../../core/index.ts";
import { renderLogLines } from "../log-lines.ts";
import { paint } from "../paint.ts";
import { FullScreen, parseKeys } from "./full-screen.ts";
import type { WatchSource } from "./source.ts";
import { MAX_LOG_LINES, reduce } from "./reducer.ts";
import { initialState, type Connection, type Effect, type Target, type WatchEvent, type WatchState } from "./state.ts";
import { viewLines } from "./view.ts";

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
