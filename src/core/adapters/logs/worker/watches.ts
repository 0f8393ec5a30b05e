import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { LogPosition } from "../../../logs/cursor.ts";
import { lineSize } from "../../../logs/line.ts";
import type { LogFilter } from "../../../ports/logs.ts";
import { packedLines, type KnownLine } from "../packed.ts";
import type { Response } from "../protocol.ts";
import type { RawLine } from "./block.ts";
import { matcherFor } from "./read-logs.ts";
import { isWanted, knownLine, scrubbed, type ScrubbedLine, type Wanted } from "./shown-line.ts";
import { Tail } from "./tail.ts";
import { chosen, isOf, type Target } from "./targets.ts";
import type { World } from "./world.ts";

const STEP_MS = 100;
/** No reader follows this many single lines, and each step has a fixed cost. */
const BUSY = { lines: 200, stepMs: 400 };
/** For file systems that report no change. */
const LOOK_MS = 1000;
const MOST_LINES = 500;
const MOST_BYTES = 256 * 1024;
const MOST_WAITING = 20_000;

type Send = (message: Extract<Response, { readonly key: string }>) => void;

interface Watch extends Wanted {
  readonly filter: LogFilter;
  readonly isWhole: boolean;
  lines: KnownLine[];
  bytes: number;
  skipped: number;
  isTaken: boolean;
}

interface Followed {
  readonly target: Target;
  readonly clean: ScrubbedLine;
  readonly atMs: number;
  readonly line: KnownLine;
}

/** Each file is read once, and each line is scrubbed once, for all watches. */
export class Watches {
  readonly #world: World;
  readonly #send: Send;
  readonly #watches = new Map<string, Watch>();
  readonly #tails = new Map<string, Tail>();
  readonly #watchers = new Map<string, FSWatcher>();
  #targets: readonly Target[] | undefined;
  #step: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #beganMs = 0;

  constructor(world: World, send: Send) {
    this.#world = world;
    this.#send = send;
  }

  async begin(key: string, filter: LogFilter, isWhole: boolean): Promise<LogPosition[]> {
    await this.#world.refresh();
    const { targets, names } = this.#world;
    const own = chosen(targets, names, filter);
    const { level } = filter;
    const made = {
      filter,
      isWhole,
      level,
      matches: matcherFor(filter),
      lines: [],
      bytes: 0,
      skipped: 0,
      isTaken: true,
    };
    if (this.#watches.size === 0) this.#beganMs = Date.now();
    this.#read();
    const existing = this.#watches.get(key);
    if (existing) this.#sendFrom(key, existing);
    else this.#watches.set(key, made);
    this.#follow();
    this.#soon();
    this.#look ??= setInterval(() => void this.#round(), LOOK_MS);
    return own.flatMap(({ log, path }) => {
      const place = this.#tails.get(path)?.place;
      return place ? [{ log, ...place }] : [];
    });
  }

  taken(key: string): void {
    const found = this.#watches.get(key);
    if (found) found.isTaken = true;
  }

  leave(key: string): void {
    this.#watches.delete(key);
    this.#follow();
    if (this.#watches.size > 0) return;
    clearInterval(this.#look);
    clearTimeout(this.#step);
    this.#look = this.#step = undefined;
    this.#stopWatching();
  }

  get hasPattern(): boolean {
    return [...this.#watches.values()].some(({ filter }) => filter.regexp !== undefined);
  }

  #soon(stepMs = STEP_MS): void {
    this.#step ??= setTimeout(() => void this.#round(), stepMs);
  }

  async #round(): Promise<void> {
    clearTimeout(this.#step);
    this.#step = undefined;
    // While PM2 is away, svcm still reads the last lines of the processes.
    await this.#world.refresh().catch(() => undefined);
    if (this.#watches.size === 0) return;
    if (this.#world.targets !== this.#targets) this.#follow();
    // While a log is busy, file events would wake the worker for each change.
    const count = this.#read();
    if (count > 0) this.#stopWatching();
    else if (!this.#watchesMore()) return this.#flush();
    this.#flush();
    this.#soon(this.#isCalm(count) ? STEP_MS : BUSY.stepMs);
  }

  #follow(): void {
    const { targets, names } = this.#world;
    const known = [...this.#watches.values()].flatMap(({ filter }) => {
      const { app, apps = [] } = filter;
      const present = [...(app === undefined ? [] : [app]), ...apps].filter((name) => names.has(name));
      const isAll = app === undefined && apps.length === 0;
      return isAll || present.length > 0 ? chosen(targets, names, { apps: present, stream: filter.stream }) : [];
    });
    const wanted = new Map(known.map((target) => [target.path, target]));
    for (const [path, tail] of this.#tails) {
      // A process that PM2 no longer lists may still have written.
      if (wanted.has(path) || (this.#watches.size > 0 && !targets.some((target) => target.path === path))) continue;
      tail.close();
      this.#tails.delete(path);
    }
    for (const [path, target] of wanted) {
      if (this.#tails.has(path)) continue;
      this.#tails.set(path, new Tail(target, this.#beganMs, Date.now()));
    }
    this.#targets = this.#watches.size === 0 ? undefined : targets;
  }

  #stopWatching(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchesMore(): boolean {
    const folders = new Set([this.#world.home, ...[...this.#tails.keys()].map((path) => dirname(path))]);
    const more = [...folders].filter((folder) => !this.#watchers.has(folder));
    for (const folder of more) this.#watchFolder(folder);
    return more.some((folder) => this.#watchers.has(folder));
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (this.#step !== undefined) return;
        if (name === "pm2.log" || [...this.#tails.keys()].some((path) => basename(path) === name)) this.#soon();
      });
      watcher.on("error", () => undefined);
      this.#watchers.set(folder, watcher);
    } catch {
      // Until the folder exists, the timer checks.
    }
  }

  /** A reader of every line that has thousands to catch up with does not wait either. */
  #isCalm(count: number): boolean {
    if (count < BUSY.lines || count > MOST_WAITING / 2) return true;
    return [...this.#watches.values()].some(({ isWhole }) => !isWhole);
  }

  /** More than 0 if there may soon be more. */
  #read(): number {
    if ([...this.#watches.values()].some(({ isWhole, lines }) => isWhole && lines.length > MOST_WAITING)) return 1;
    const nowMs = Date.now();
    const lines: Followed[] = [];
    for (const tail of this.#tails.values())
      for (const part of tail.added(nowMs)) for (const raw of part) lines.push(this.#lineOf(tail, raw, nowMs));
    for (const { target, clean, line } of byTime(lines))
      for (const found of this.#watches.values())
        if (isOf(target, found.filter) && isWanted(found, clean, target)) put(found, line);
    return lines.length;
  }

  #lineOf(tail: Tail, raw: RawLine, nowMs: number): Followed {
    const clean = scrubbed(raw, this.#world.scrub);
    tail.lastMs = clean.atMs ?? tail.lastMs;
    const atMs = tail.lastMs ?? nowMs;
    const { target, source } = tail;
    return { target, clean, atMs, line: knownLine(source, clean, { atMs, offset: raw.offset }) };
  }

  #flush(): void {
    for (const [key, found] of this.#watches) {
      if (found.isTaken) this.#sendFrom(key, found);
    }
  }

  #sendFrom(key: string, found: Watch): void {
    const { lines, skipped } = found;
    if (lines.length === 0 && skipped === 0) return;
    Object.assign(found, { lines: [], bytes: 0, skipped: 0, isTaken: false });
    this.#send({ key, batch: { lines: packedLines(lines), skipped } });
  }
}

/** Most lines are in order, and sorting takes as long as reading them. */
function byTime(lines: readonly Followed[]): readonly Followed[] {
  const isOrdered = lines.every(({ atMs }, index) => index === 0 || atMs >= (lines[index - 1]?.atMs ?? 0));
  return isOrdered ? lines : lines.toSorted((a, b) => a.atMs - b.atMs);
}

function put(found: Watch, line: KnownLine): void {
  found.lines.push(line);
  found.bytes += lineSize(line);
  if (found.isWhole) return;
  while (found.lines.length > MOST_LINES || (found.bytes > MOST_BYTES && found.lines.length > 1)) {
    const left = found.lines.shift();
    found.bytes -= left === undefined ? 0 : lineSize(left);
    found.skipped += 1;
  }
}
