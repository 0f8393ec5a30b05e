import { lstatSync } from "node:fs";
import type { LogPosition } from "../../log-line.ts";
import type { LineSource } from "../protocol.ts";
import { cutNumber } from "../../rotated.ts";
import {
  type Cut,
  cutBetween,
  isCopyBehindCut,
  listCuts,
  openAtMoment,
  openCut,
  openIfReadable,
  listRotatedFiles,
} from "./rotated-files.ts";
import { FileFollower } from "./file-follower.ts";
import { createLineSource, type RawLine } from "./line.ts";
import { type LogFile, UnreadableLogError, tornLineStart } from "./log-file.ts";
import type { Target } from "./process-list.ts";

const MAX_ROTATED_FILES = 5;
/** A program may keep writing to a renamed file until it reopens its log. */
const MAX_IDLE_MS = 60_000;
/** Looks at a log whose rotation was killed, before svcm goes on. */
const MAX_WAITS = 20;

export class Tail {
  readonly target: Target;
  readonly source: LineSource;
  lastMs: number | null = null;
  #follower: FileFollower | undefined;
  #renamed: FileFollower[] = [];
  /** The last head that svcm had cut off when the follower began, or went on behind it. */
  #cutId = "";
  #isBehind = false;
  #waits = 0;

  /** @param sinceMs a file created later is read from its beginning */
  constructor(target: Target, sinceMs: number, nowMs: number) {
    this.target = target;
    this.source = createLineSource(target, target.path);
    const file = this.#openLog();
    if (file)
      this.#follower = new FileFollower(file, file.createdMs > sinceMs ? 0 : tornLineStart(file, file.size), nowMs);
  }

  get place(): Omit<LogPosition, "log"> | undefined {
    const cuts = cutNumber(this.#cutId);
    return this.#follower && { inode: this.#follower.file.inode, offset: this.#follower.lineStart, cuts };
  }

  /** In parts, because a generator takes longer for a line than the rest of its way. */
  *readAdded(nowMs: number): Generator<readonly RawLine[]> {
    yield* this.#readRenamed(nowMs);
    const follower = this.#follower;
    if (follower) {
      if (this.#isBehind) yield* this.#readCuts(follower, nowMs);
      else if (follower.wasTruncated() || this.#isCutUnnoticed(follower))
        yield* this.#readCutOrTruncated(follower, nowMs);
      if (this.#isBehind) return;
      yield follower.readAdded(follower.file, nowMs);
    }
    if (!this.#isReplaced()) return;
    const file = this.#openLog();
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

  #isCutUnnoticed({ hasReadLittle, file }: FileFollower): boolean {
    if (!hasReadLittle) return false;
    const { done, copying } = listCuts(this.target);
    if (done.some(({ id }) => id > this.#cutId)) return true;
    return copying !== undefined && copying.id > this.#cutId && isCopyBehindCut(this.target, copying, file);
  }

  *#readCutOrTruncated(follower: FileFollower, nowMs: number): Generator<readonly RawLine[]> {
    const { done, copying } = listCuts(this.target);
    const isKnown = [...done, ...(copying ? [copying] : [])].every(({ id }) => id <= this.#cutId);
    if (isKnown) yield* this.#readTruncated(follower, nowMs);
    else yield* this.#readCuts(follower, nowMs);
  }

  /** The rest of each head, oldest first, and then the place in the log itself. */
  *#readCuts(follower: FileFollower, nowMs: number): Generator<readonly RawLine[]> {
    this.#isBehind = true;
    for (;;) {
      const { done, copying } = listCuts(this.target);
      // For a moment the log is cut, but the copy has not got its name.
      if (copying !== undefined && (this.#waits += 1) <= MAX_WAITS) return;
      const [cut, following] = [...done, ...(copying ? [copying] : [])].filter(({ id }) => id > this.#cutId);
      if (cut === undefined) break;
      yield* this.#readHead(follower, cut, following, nowMs);
    }
    this.#isBehind = false;
    this.#waits = 0;
  }

  *#readHead(
    follower: FileFollower,
    { id }: Cut,
    following: Cut | undefined,
    nowMs: number,
  ): Generator<readonly RawLine[]> {
    const copy = openCut(this.target, id);
    if (copy) yield* readUpTo(follower, copy, nowMs);
    const bytes = copy && this.#cutBehind(copy, following, follower.file);
    copy?.close();
    // Cut again in the meantime.
    if (following === undefined && this.#hasCutAfter(id)) return;
    this.#cutId = id;
    if (copy !== undefined && bytes !== undefined) return follower.moveBack(bytes, copy.size);
    yield follower.takeTornLine();
    follower.restart();
  }

  #cutBehind(copy: LogFile, following: Cut | undefined, log: LogFile): number | undefined {
    const next = following === undefined ? log : openCut(this.target, following.id);
    const bytes = next && cutBetween(copy, next);
    if (next !== log) next?.close();
    return bytes;
  }

  #hasCutAfter(before: string): boolean {
    const { done, copying } = listCuts(this.target);
    return [...done, ...(copying ? [copying] : [])].some(({ id }) => id > before);
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

  #openLog(): LogFile | undefined {
    try {
      const { file, cutId } = openAtMoment(this.target);
      this.#cutId = cutId;
      return file;
    } catch (error) {
      if (error instanceof UnreadableLogError) return undefined;
      throw error;
    }
  }

  #open(path: string): LogFile | undefined {
    return openIfReadable({ ...this.target, path });
  }
}

function* readUpTo(follower: FileFollower, copy: LogFile, nowMs: number): Generator<readonly RawLine[]> {
  const { size } = copy;
  while (follower.offset < size) yield follower.readAdded(copy, nowMs);
}
