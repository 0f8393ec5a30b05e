import { type FSWatcher, watch as watchFolder } from "node:fs";
import { basename, dirname } from "node:path";
import type { LogPosition } from "../../log-line.ts";
import type { LogFilter } from "../../port-logs.ts";
import type { OutputLine, Response } from "../protocol.ts";
import {
  momentBefore,
  outputLine,
  type RawLine,
  type ScrubbedLine,
  scrubLine,
  type LineFilter,
  matchesFilter,
} from "./line.ts";
import { type ProcessList, selectTargets, type Target, isSelected } from "./process-list.ts";
import { Tail } from "./tail.ts";
import { lineSize } from "../../line.ts";
import { requireMatcher } from "./read-logs.ts";

const STEP_MS = 100;
/** No reader follows this many single lines, and each step has a fixed cost. */
const BUSY = { lines: 200, stepMs: 400 };
/** For file systems that report no change. */
const CHECK_INTERVAL_MS = 1000;
const MAX_PENDING = 20_000;

type Send = (message: Extract<Response<OutputLine>, { readonly key: string }>) => void;

interface FollowedLine {
  readonly target: Target;
  readonly scrubbed: ScrubbedLine;
  readonly atMs: number;
  readonly line: OutputLine;
}

/** Each file is read once, and each line is scrubbed once, for all watches. */
export class Watches {
  readonly #processList: ProcessList;
  readonly #send: Send;
  readonly #step: () => void;
  readonly #watches = new Map<string, Watch>();
  readonly #tails = new Map<string, Tail>();
  readonly #watchers = new Map<string, FSWatcher>();
  #targets: readonly Target[] | undefined;
  #stepTimer: NodeJS.Timeout | undefined;
  #checkTimer: NodeJS.Timeout | undefined;
  #startedMs = 0;

  /** @param onFailure a step failed, so lines may be missing */
  constructor(processList: ProcessList, send: Send, onFailure: (error: unknown) => void) {
    this.#processList = processList;
    this.#send = send;
    this.#step = () => void this.#runStep().catch(onFailure);
  }

  async start(key: string, filter: LogFilter, isLossless: boolean): Promise<LogPosition[]> {
    await this.#processList.refresh();
    const { targets, names } = this.#processList;
    const selected = selectTargets(targets, names, filter);
    const added = new Watch(filter, isLossless);
    if (this.#watches.size === 0) this.#startedMs = Date.now();
    this.#read();
    const existing = this.#watches.get(key);
    if (existing) this.#sendBatch(key, existing);
    else this.#watches.set(key, added);
    this.#updateTails();
    this.#schedule();
    this.#checkTimer ??= setInterval(() => this.#step(), CHECK_INTERVAL_MS);
    return selected.flatMap(({ log, path }) => {
      const place = this.#tails.get(path)?.place;
      return place ? [{ log, ...place }] : [];
    });
  }

  taken(key: string): void {
    const watch = this.#watches.get(key);
    if (watch) watch.isReady = true;
  }

  leave(key: string): void {
    this.#watches.delete(key);
    this.#updateTails();
    if (this.#watches.size === 0) this.#stop();
  }

  close(): void {
    this.#watches.clear();
    this.#updateTails();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#checkTimer);
    clearTimeout(this.#stepTimer);
    this.#checkTimer = this.#stepTimer = undefined;
    this.#stopWatching();
  }

  get hasPattern(): boolean {
    return [...this.#watches.values()].some(({ filter }) => filter.regexp !== undefined);
  }

  #schedule(stepMs = STEP_MS): void {
    this.#stepTimer ??= setTimeout(() => this.#step(), stepMs);
  }

  async #runStep(): Promise<void> {
    clearTimeout(this.#stepTimer);
    this.#stepTimer = undefined;
    // While PM2 is away, svcm still reads the last lines of the processes.
    await this.#processList.refresh().catch(() => undefined);
    if (this.#watches.size === 0) return;
    if (this.#processList.targets !== this.#targets) this.#updateTails();
    // While a log is busy, file events would wake the worker for each change.
    const count = this.#read();
    if (count > 0) this.#stopWatching();
    else if (!this.#watchNewFolders()) return this.#sendAll();
    this.#sendAll();
    this.#schedule(this.#isCalm(count) ? STEP_MS : BUSY.stepMs);
  }

  #updateTails(): void {
    const { targets, names } = this.#processList;
    const followed = [...this.#watches.values()].flatMap(({ filter }) => {
      const { app, apps = [] } = filter;
      const present = [...(app === undefined ? [] : [app]), ...apps].filter((name) => names.has(name));
      const isAll = app === undefined && apps.length === 0;
      return isAll || present.length > 0 ? selectTargets(targets, names, { apps: present, stream: filter.stream }) : [];
    });
    const targetsByPath = new Map(followed.map((target) => [target.path, target]));
    for (const [path, tail] of this.#tails) {
      // A process that PM2 no longer lists may still have written.
      if (targetsByPath.has(path) || (this.#watches.size > 0 && !targets.some((target) => target.path === path)))
        continue;
      tail.close();
      this.#tails.delete(path);
    }
    for (const [path, target] of targetsByPath) {
      if (this.#tails.has(path)) continue;
      this.#tails.set(path, new Tail(target, this.#startedMs, Date.now()));
    }
    this.#targets = this.#watches.size === 0 ? undefined : targets;
  }

  #stopWatching(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchNewFolders(): boolean {
    const folders = new Set([this.#processList.home, ...[...this.#tails.keys()].map((path) => dirname(path))]);
    const unwatched = [...folders].filter((folder) => !this.#watchers.has(folder));
    for (const folder of unwatched) this.#watchFolder(folder);
    return unwatched.some((folder) => this.#watchers.has(folder));
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watchFolder(folder, (_event, name) => {
        if (this.#stepTimer !== undefined) return;
        if (name === "pm2.log" || [...this.#tails.keys()].some((path) => basename(path) === name)) this.#schedule();
      });
      watcher.on("error", () => undefined);
      this.#watchers.set(folder, watcher);
    } catch {
      // Until the folder exists, the timer checks.
    }
  }

  /** A reader of every line that has thousands to catch up with does not wait either. */
  #isCalm(count: number): boolean {
    if (count < BUSY.lines || count > MAX_PENDING / 2) return true;
    return [...this.#watches.values()].some(({ isLossless }) => !isLossless);
  }

  /** More than 0 if there may soon be more. */
  #read(): number {
    if ([...this.#watches.values()].some(({ isLossless, lines }) => isLossless && lines.length > MAX_PENDING)) return 1;
    const nowMs = Date.now();
    const lines: FollowedLine[] = [];
    for (const tail of this.#tails.values())
      for (const part of tail.readAdded(nowMs)) for (const raw of part) lines.push(this.#scrubLine(tail, raw, nowMs));
    for (const { target, scrubbed, atMs, line } of sortByTime(lines))
      for (const watch of this.#watches.values()) if (watch.accepts(target, scrubbed, atMs)) watch.add(line);
    return lines.length;
  }

  #scrubLine(tail: Tail, raw: RawLine, nowMs: number): FollowedLine {
    const scrubbed = scrubLine(raw, this.#processList.scrub);
    tail.lastMs = momentBefore(scrubbed, nowMs) ?? tail.lastMs;
    const atMs = tail.lastMs ?? nowMs;
    const { target, source } = tail;
    return { target, scrubbed, atMs, line: outputLine(source, scrubbed, { atMs, offset: raw.offset }) };
  }

  #sendAll(): void {
    for (const [key, watch] of this.#watches) {
      if (watch.isReady) this.#sendBatch(key, watch);
    }
  }

  #sendBatch(key: string, watch: Watch): void {
    const batch = watch.takeBatch();
    if (batch) this.#send({ key, batch });
  }
}

/** Most lines are in order, and sorting takes as long as reading them. */
function sortByTime(lines: readonly FollowedLine[]): readonly FollowedLine[] {
  const isOrdered = lines.every(({ atMs }, index) => index === 0 || atMs >= (lines[index - 1]?.atMs ?? 0));
  return isOrdered ? lines : lines.toSorted((a, b) => a.atMs - b.atMs);
}

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
