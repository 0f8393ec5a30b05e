import { lstatSync } from "node:fs";
import type { LineSource } from "../packed.ts";
import { FileFollower } from "./file-follower.ts";
import { createLineSource, type RawLine } from "./line.ts";
import { LogFile, UnreadableLogError } from "./log-file.ts";
import { listRotatedFiles } from "./rotated-files.ts";
import type { Target } from "./process-list.ts";
import { tornLineStart } from "./regions.ts";

const MAX_ROTATED_FILES = 5;
/** A program may keep writing to a renamed file until it reopens its log. */
const MAX_IDLE_MS = 60_000;

export class Tail {
  readonly target: Target;
  readonly source: LineSource;
  lastMs: number | null = null;
  #follower: FileFollower | undefined;
  #renamed: FileFollower[] = [];

  /** @param sinceMs a file created later is read from its beginning */
  constructor(target: Target, sinceMs: number, nowMs: number) {
    this.target = target;
    this.source = createLineSource(target, target.path);
    const file = this.#open();
    if (file)
      this.#follower = new FileFollower(file, file.createdMs > sinceMs ? 0 : tornLineStart(file, file.size), nowMs);
  }

  get place(): { readonly inode: number; readonly offset: number } | undefined {
    return this.#follower && { inode: this.#follower.file.inode, offset: this.#follower.lineStart };
  }

  /** In parts, because a generator takes longer for a line than the rest of its way. */
  *readAdded(nowMs: number): Generator<readonly RawLine[]> {
    yield* this.#readRenamed(nowMs);
    const follower = this.#follower;
    if (follower) {
      if (follower.wasTruncated()) yield* this.#readTruncated(follower, nowMs);
      yield follower.readAdded(follower.file, nowMs);
    }
    if (!this.#isReplaced()) return;
    const file = this.#open();
    if (file === undefined) return;
    if (follower) yield* this.#readMissed(follower, nowMs);
    this.#follower = new FileFollower(file, 0, nowMs);
    yield this.#follower.readAdded(file, nowMs);
  }

  /** The files that were created and renamed after the follower's file, before anything was read from them. */
  *#readMissed(follower: FileFollower, nowMs: number): Generator<readonly RawLine[]> {
    const openInodes = new Set(this.#renamed.map(({ file }) => file.inode));
    this.#renamed.push(follower);
    const rotated = listRotatedFiles(this.target)
      .slice(0, MAX_ROTATED_FILES)
      .flatMap((path) => this.#open(path) ?? []);
    const ownIndex = rotated.findIndex(({ inode }) => inode === follower.file.inode);
    // Newest first. If the follower's own file is missing, svcm cannot know which of the others are younger.
    const isMissed = (file: LogFile, index: number): boolean => index < ownIndex && !openInodes.has(file.inode);
    const missed = rotated.filter(isMissed);
    for (const file of rotated) if (!missed.includes(file)) file.close();
    for (const file of missed.toReversed()) {
      const next = new FileFollower(file, 0, nowMs);
      this.#renamed.push(next);
      yield next.readAdded(file, nowMs);
    }
  }

  close(): void {
    for (const { file } of [...this.#renamed, ...(this.#follower ? [this.#follower] : [])]) file.close();
  }

  *#readRenamed(nowMs: number): Generator<readonly RawLine[]> {
    const remaining: FileFollower[] = [];
    for (const follower of this.#renamed) {
      yield follower.readAdded(follower.file, nowMs);
      if (nowMs - follower.lastReadMs < MAX_IDLE_MS) remaining.push(follower);
      else {
        yield follower.takeTornLine();
        follower.file.close();
      }
    }
    this.#renamed = remaining;
  }

  /** If a log was copied before it was truncated, the copy has the lines that were not read yet. */
  *#readTruncated(follower: FileFollower, nowMs: number): Generator<readonly RawLine[]> {
    for (const path of listRotatedFiles(this.target).slice(0, MAX_ROTATED_FILES)) {
      const copy = this.#open(path);
      if (copy === undefined) continue;
      try {
        if (copy.size < follower.offset || !follower.isContinuedBy(copy)) continue;
        yield follower.readAdded(copy, nowMs);
        break;
      } finally {
        copy.close();
      }
    }
    yield follower.takeTornLine();
    follower.restart();
  }

  #isReplaced(): boolean {
    try {
      return lstatSync(this.target.path).ino !== this.#follower?.file.inode;
    } catch {
      return false;
    }
  }

  #open(path = this.target.path): LogFile | undefined {
    try {
      return new LogFile({ ...this.target, path });
    } catch (error) {
      if (error instanceof UnreadableLogError) return undefined;
      throw error;
    }
  }
}
