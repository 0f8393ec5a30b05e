import { createHash } from "node:crypto";
import { closeSync, openSync, statSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FileError } from "../../files/ports.ts";
import { attempt, discard, listIfReadable, readIfReadable, unlink } from "../../files/system.ts";
import { deliveryFile } from "../../files/private-files.ts";
import { callDaemon } from "../../pm2/daemon/daemon.ts";
import type { CutWay } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import { ownRotated } from "../rotated.ts";
import { cutHead, dropHead } from "./cut.node.ts";
import { runFallocate, finishRotation, type Journal, parseRotationRecord } from "./finish.node.ts";
import {
  type KeptSizes,
  type LogCare,
  type LogSurvey,
  type RotateOptions,
  type Rotation,
  type SurveyedLog,
  addSizes,
  formatSizes,
  parseSizes,
  subtractCut,
} from "./log-care.ts";
import { tailBytes } from "./prune.ts";

export interface LogCareOptions {
  readonly pm2Home: string;
  readonly folders: readonly string[];
  readonly nowMs: () => number;
  readonly etc?: string;
  /** For tests that kill the process after a step. */
  readonly onStep?: (step: string) => void;
}

const RELOAD_TIMEOUT_MS = 10_000;
/** With the rest of its last line, a compressed piece can still be searched. */
const MAX_PIECE_BYTES = 60 * 2 ** 20;

export function nodeLogCare(options: LogCareOptions): LogCare {
  const { pm2Home: home, folders, nowMs, etc = "/etc" } = options;
  const folder = join(home, "svcm", "log-care");
  const sizesFile = join(folder, "sizes.json");
  const recordPath = (path: string): string =>
    join(folder, `${createHash("sha256").update(path).digest("hex").slice(0, 16)}.json`);
  const isUnfinished = (path: string): boolean => readIfReadable(recordPath(path)) !== "";
  const changeSizes = async (change: (kept: KeptSizes) => KeptSizes): Promise<void> =>
    deliveryFile(sizesFile).change((text, save) => save(formatSizes(change(parseSizes(text)))));
  let last: LogSurvey | undefined;
  const withRecord = <T>(path: string, work: (journal: Journal) => Promise<T>): Promise<T> =>
    withJournal(recordPath(path), path, work);
  return {
    last: () => last,
    async look({ keepsSizes = true, writersFrom = 0 } = {}) {
      // Few commands need it, and it shares code with the worker that reads logs.
      const { lookAtLogs } = await import("./look.node.ts");
      const kept = parseSizes(readIfReadable(sizesFile));
      const survey = await lookAtLogs({ home, folders, etc, isUnfinished, writersFrom }, kept, nowMs());
      // Without the sizes of this look, only the growth stays unknown.
      if (keepsSizes && survey.logs.length > 0)
        await changeSizes((before) => addSizes(before, survey.logs, survey.atMs)).catch(ignoreFileError);
      last = survey;
      return survey;
    },
    wayAt: (path) => attempt("rotate", path, () => tryCollapse(dirname(path))),
    rotate: (log, how) =>
      withRecord(log.path, async (journal) => {
        const rotation = await rotateInPieces(log, journal, how, options);
        await changeSizes((kept) => subtractCut(kept, log.path, rotation.bytes)).catch(ignoreFileError);
        return rotation;
      }),
    finish: (path) => withRecord(path, () => Promise.resolve()),
    dropHead: (log, tail) =>
      withRecord(log.path, async () => {
        const bytes = await dropHead(log.path, tail);
        await changeSizes((kept) => subtractCut(kept, log.path, bytes)).catch(ignoreFileError);
        return bytes;
      }),
    remove: async (paths) => {
      for (const path of paths) await attempt("remove", path, () => unlink(path));
    },
    reopen: async () => {
      const answer = await callDaemon(join(home, "rpc.sock"), "reloadLogs", RELOAD_TIMEOUT_MS);
      if (answer === undefined)
        throw new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "PM2 did not open its logs again." });
    },
  };
}

function ignoreFileError(error: unknown): void {
  if (!(error instanceof FileError)) throw error;
}

/** One rotation of a file at a time. A killed one is finished or undone first. */
async function withJournal<T>(record: string, path: string, work: (journal: Journal) => Promise<T>): Promise<T> {
  return await deliveryFile(record).change(async (text, save) => {
    const journal: Journal = {
      save: (next) => save(JSON.stringify(next)),
      clear: () => discard(record),
    };
    return await attempt("rotate", path, async () => {
      const unfinished = parseRotationRecord(text ?? "");
      if (unfinished !== undefined) await finishRotation(unfinished, journal);
      return await work(journal);
    });
  });
}

async function rotateInPieces(
  log: SurveyedLog,
  journal: Journal,
  { way, maxBytes, keep, compress, signal }: RotateOptions,
  { nowMs, onStep }: LogCareOptions,
): Promise<Rotation> {
  const { path, dev, ino } = log;
  const pieceBytes = Math.min(maxBytes, MAX_PIECE_BYTES);
  const files: string[] = [];
  let bytes = 0;
  const removed: string[] = [];
  // A process that writes faster than svcm rotates must not keep it here.
  while (bytes <= log.bytes) {
    const stat = statSync(path);
    if (signal?.aborted || stat.size < maxBytes || stat.ino !== ino || stat.dev !== dev) break;
    const tail = Math.min(tailBytes(log), Math.floor(maxBytes / 2));
    const cut = await cutHead(path, journal, { way, pieceBytes, tailBytes: tail, compress, nowMs: nowMs(), onStep });
    if (cut === undefined) break;
    files.push(basename(cut.target));
    bytes += cut.cut;
    removed.push(...(await removeSurplus(path, keep)));
    onStep?.("kept");
  }
  return { files, bytes, removed };
}

async function removeSurplus(path: string, keep: number): Promise<string[]> {
  const folder = dirname(path);
  const own = ownRotated(basename(path), listIfReadable(folder)).filter(({ isCopying }) => !isCopying);
  const surplus = own.slice(0, Math.max(0, own.length - keep)).map(({ file }) => file);
  for (const file of surplus) await unlink(join(folder, file));
  return surplus;
}

/** On a file without a name, so that nothing is left of it. */
async function tryCollapse(folder: string): Promise<{ readonly way: CutWay; readonly reason: string | undefined }> {
  const path = join(folder, `.svcm-try-${process.pid}`);
  const fd = openSync(path, "wx+", 0o600);
  try {
    unlinkSync(path);
    const unit = Math.max(4096, statSync(folder).blksize);
    writeSync(fd, Buffer.alloc(2 * unit));
    const reason = await runFallocate(fd, unit);
    return { way: reason === undefined ? "collapse" : "truncate", reason };
  } finally {
    closeSync(fd);
  }
}
