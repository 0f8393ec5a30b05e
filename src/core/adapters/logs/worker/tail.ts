import { lstatSync } from "node:fs";
import { rotatedFiles } from "./chain.ts";
import type { LineSource } from "../packed.ts";
import type { RawLine } from "./block.ts";
import { LogFile, Unreadable } from "./log-file.ts";
import { AddedReader } from "./added-reader.ts";
import { startOfTorn } from "./regions.ts";
import { lineSource } from "./shown-line.ts";
import type { Target } from "./targets.ts";

const MOST_COPIES = 5;
/** A program may keep writing to a renamed file until it reopens its log. */
const LEAVING_MS = 60_000;

export class Tail {
  readonly target: Target;
  readonly source: LineSource;
  lastMs: number | null = null;
  #reader: AddedReader | undefined;
  #leaving: AddedReader[] = [];

  /** @param sinceMs a file created later is read from its beginning */
  constructor(target: Target, sinceMs: number, nowMs: number) {
    this.target = target;
    this.source = lineSource(target, target.path);
    const file = this.#open();
    if (file) this.#reader = new AddedReader(file, file.bornMs > sinceMs ? 0 : startOfTorn(file, file.size), nowMs);
  }

  get place(): { readonly inode: number; readonly offset: number } | undefined {
    return this.#reader && { inode: this.#reader.file.inode, offset: this.#reader.lineStart };
  }

  /** In parts, because a generator takes longer for a line than the rest of its way. */
  *added(nowMs: number): Generator<readonly RawLine[]> {
    yield* this.#ofMoved(nowMs);
    const reader = this.#reader;
    if (reader) {
      if (reader.wasEmptied()) yield* this.#afterEmptying(reader, nowMs);
      yield reader.added(reader.file, nowMs);
    }
    if (!this.#isReplaced()) return;
    const file = this.#open();
    if (file === undefined) return;
    if (reader) yield* this.#left(reader, nowMs);
    this.#reader = new AddedReader(file, 0, nowMs);
    yield this.#reader.added(file, nowMs);
  }

  /** The files that were created and renamed after the reader's file, before anything was read from them. */
  *#left(reader: AddedReader, nowMs: number): Generator<readonly RawLine[]> {
    const known = new Set(this.#leaving.map(({ file }) => file.inode));
    this.#leaving.push(reader);
    const rotated = rotatedFiles(this.target)
      .slice(0, MOST_COPIES)
      .flatMap((path) => this.#open(path) ?? []);
    const own = rotated.findIndex(({ inode }) => inode === reader.file.inode);
    // Newest first. If the reader's own file is missing, svcm cannot know which of the others are younger.
    const isMissed = (file: LogFile, index: number): boolean => index < own && !known.has(file.inode);
    const missed = rotated.filter(isMissed);
    for (const file of rotated) if (!missed.includes(file)) file.close();
    for (const file of missed.toReversed()) {
      const next = new AddedReader(file, 0, nowMs);
      this.#leaving.push(next);
      yield next.added(file, nowMs);
    }
  }

  close(): void {
    for (const { file } of [...this.#leaving, ...(this.#reader ? [this.#reader] : [])]) file.close();
  }

  *#ofMoved(nowMs: number): Generator<readonly RawLine[]> {
    const staying: AddedReader[] = [];
    for (const reader of this.#leaving) {
      yield reader.added(reader.file, nowMs);
      if (nowMs - reader.heardMs < LEAVING_MS) staying.push(reader);
      else {
        yield reader.torn();
        reader.file.close();
      }
    }
    this.#leaving = staying;
  }

  /** If a log was copied before it was truncated, the copy has the lines that were not read yet. */
  *#afterEmptying(reader: AddedReader, nowMs: number): Generator<readonly RawLine[]> {
    for (const path of rotatedFiles(this.target).slice(0, MOST_COPIES)) {
      const copy = this.#open(path);
      if (copy === undefined) continue;
      try {
        if (copy.size < reader.offset || !reader.continues(copy)) continue;
        yield reader.added(copy, nowMs);
        break;
      } finally {
        copy.close();
      }
    }
    yield reader.torn();
    reader.restart();
  }

  #isReplaced(): boolean {
    try {
      return lstatSync(this.target.path).ino !== this.#reader?.file.inode;
    } catch {
      return false;
    }
  }

  #open(path = this.target.path): LogFile | undefined {
    try {
      return new LogFile({ ...this.target, path });
    } catch (error) {
      if (error instanceof Unreadable) return undefined;
      throw error;
    }
  }
}
