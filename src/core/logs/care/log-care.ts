import type { ErrorCode } from "../../api/issue.ts";
import type { CutWay, LogStream } from "../../api/names.ts";
import { escapeRegExp } from "../../words/text.ts";
import { isRecord, parseRecord } from "../../words/record.ts";

/** The log files of PM2 on the disk: their sizes, who writes them, and the cutting of them. */
export interface LogCare {
  /**
   * Reads no line. Unless it must change nothing, keeps the sizes for the growth at a later look.
   * @param options `writersFrom` spares a look at every process of the machine if no log has that size
   */
  look(options?: { readonly keepsSizes?: boolean; readonly writersFrom?: number }): Promise<LogSurvey>;

  /** The last look of this process. */
  last(): LogSurvey | undefined;

  /** Tries on a file of svcm which way this file system permits. */
  wayAt(path: string): Promise<{ readonly way: CutWay; readonly reason: string | undefined }>;

  /**
   * Cuts off the head of the log until it is shorter than `maxBytes`. No line is lost if the process is
   * killed: the next run finishes or undoes the rotation.
   * @throws {FileError} ENOSPC, ELOCKED, ECHANGED, LOG_CUT_FAILED and the codes of the system
   */
  rotate(log: SurveyedLog, options: RotateOptions): Promise<Rotation>;

  /** Finishes or undoes a rotation that was killed. @throws {FileError} as `rotate` */
  finish(path: string): Promise<void>;

  /** Cuts off older lines without a copy, and leaves the newest bytes. Returns the bytes that went. @throws as `rotate` */
  dropHead(log: SurveyedLog, tailBytes: number): Promise<number>;

  /** Removes rotated files of svcm. */
  remove(paths: readonly string[]): Promise<void>;

  /** Makes PM2 open its logs again. @throws {SvcmError} PM2_FAILED */
  reopen(): Promise<void>;
}

export interface RotateOptions {
  readonly way: CutWay;
  readonly maxBytes: number;
  readonly keep: number;
  readonly compress: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Rotation {
  /** Names of the new files, oldest first, without `.gz`. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** Rotated files that went because there were more than `keep`. */
  readonly removed: readonly string[];
}

export interface SurveyedLog {
  readonly path: string;
  /** Null for PM2's own log, and for a file whose app PM2 does not list. */
  readonly app: string | null;
  readonly stream: LogStream | null;
  readonly dev: number;
  readonly ino: number;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Of any tool. */
  readonly rotated: readonly { readonly path: string; readonly bytes: number; readonly isOwn: boolean }[];
  /** Processes that have it open for writing. */
  readonly writers: readonly LogWriter[];
  /** The apps whose folder PM2 watches and which has the log in it. */
  readonly watchedBy: readonly string[];
  /** At an earlier look, at least a minute ago. */
  readonly earlier: { readonly atMs: number; readonly bytes: number } | null;
  /** Why svcm does not open it. */
  readonly problem: { readonly code: ErrorCode; readonly details: string } | null;
  /** A rotation was killed. */
  readonly isUnfinished: boolean;
}

export interface LogWriter {
  readonly pid: number;
  readonly program: string;
  readonly isAppending: boolean;
}

export interface DeletedLog {
  readonly path: string;
  readonly pid: number;
  readonly bytes: number;
}

export interface LogDisk {
  readonly path: string;
  readonly availableBytes: number;
  readonly totalBytes: number;
}

export interface LogSurvey {
  readonly atMs: number;
  readonly home: string;
  readonly logs: readonly SurveyedLog[];
  readonly deleted: readonly DeletedLog[];
  readonly disks: ReadonlyMap<number, LogDisk>;
  /** The running module pm2-logrotate. It rotates each log of PM2's list, and PM2's own. */
  readonly hasPm2Logrotate: boolean;
  readonly logrotate: readonly LogrotateRule[];
  /** Not even PM2's own processes are visible. */
  readonly areWritersHidden: boolean;
  readonly isHomeOfOther: boolean;
  /** When PM2 last wrote that the disk is full, if it has not opened its logs again since. */
  readonly fullDiskMs: number | null;
}

export interface HasLogCare {
  readonly logCare: LogCare;
}

/** A file of `/etc/logrotate.d`, and the files that it rotates. */
export interface LogrotateRule {
  readonly file: string;
  readonly patterns: readonly string[];
}

/** The paths before each `{`: plain, in quotes, or on several lines. Also those of an instruction outside of a block. */
export function logrotatePatterns(text: string): string[] {
  const patterns: string[] = [];
  let heading: string[] = [];
  let depth = 0;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (depth > 0) {
      if (line.startsWith("}")) depth -= 1;
      continue;
    }
    const [paths = ""] = line.split("{");
    const words = [...paths.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    heading = words[0]?.startsWith("/") === true ? [...heading, ...words] : line.startsWith("{") ? heading : [];
    if (!line.includes("{")) continue;
    patterns.push(...heading);
    heading = [];
    if (!line.endsWith("}")) depth += 1;
  }
  return patterns.filter((pattern) => pattern.startsWith("/"));
}

/** As the shell expands it: `*` and `?` stop at a `/`. */
export function matchesGlob(pattern: string, path: string): boolean {
  const source = pattern.replaceAll(/\[!?[^\]]*\]|[*?]|[^*?[]+|\[/g, (part) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 1 && part.startsWith("[")) return part.replace(/^\[!/, "[^");
    return escapeRegExp(part);
  });
  try {
    return new RegExp(`^${source}$`).test(path);
  } catch {
    return false;
  }
}

interface Size {
  readonly atMs: number;
  readonly bytes: number;
}

/** Two looks at a log. The older one is replaced when the younger one is an hour old. */
interface Sizes {
  readonly ino: number;
  readonly older: Size;
  readonly younger: Size;
}

export type KeptSizes = ReadonlyMap<string, Sizes>;

/** A shorter time says little. */
const MIN_AGE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAX_LOGS = 10_000;

export function parseSizes(text: string | undefined): KeptSizes {
  const { logs } = parseRecord(text ?? "") ?? {};
  if (!isRecord(logs)) return new Map();
  return new Map(Object.entries(logs).filter(([, value]) => isRecord(value)) as [string, Sizes][]);
}

export function formatSizes(sizes: KeptSizes): string {
  return JSON.stringify({ version: 1, logs: Object.fromEntries([...sizes].slice(0, MAX_LOGS)) });
}

interface Seen {
  readonly path: string;
  readonly ino: number;
  readonly bytes: number;
}

/** A log that became smaller, or that is another file, has no known growth. */
export function addSizes(kept: KeptSizes, logs: readonly Seen[], atMs: number): KeptSizes {
  return new Map(
    logs.map(({ path, ino, bytes }) => {
      const now = { atMs, bytes };
      const sizes = kept.get(path);
      if (sizes?.ino !== ino || bytes < sizes.younger.bytes || atMs < sizes.younger.atMs)
        return [path, { ino, older: now, younger: now }];
      return [path, atMs - sizes.younger.atMs < HOUR_MS ? sizes : { ino, older: sizes.younger, younger: now }];
    }),
  );
}

/** The cut bytes had been written, so the earlier sizes become smaller, too. */
export function subtractCut(kept: KeptSizes, path: string, cut: number): KeptSizes {
  const sizes = kept.get(path);
  if (sizes === undefined) return kept;
  const { ino, older, younger } = sizes;
  const less = (size: Size): Size => ({ ...size, bytes: size.bytes - cut });
  return new Map(kept).set(path, { ino, older: less(older), younger: less(younger) });
}

export function earlierSize(kept: KeptSizes, { path, ino, bytes }: Seen, atMs: number): Size | null {
  const sizes = kept.get(path);
  if (sizes?.ino !== ino || bytes < sizes.younger.bytes || atMs - sizes.older.atMs < MIN_AGE_MS) return null;
  return sizes.older;
}
