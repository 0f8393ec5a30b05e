/** The grammar of `pm2.log`, in the words of PM2 5, 6 and 7. */
import type { ExecMode } from "../pm2/pm2-fields.ts";

/** A process id. A reload renames the old process to `_old_<id>`. */
interface ProcessId {
  readonly pmId: number;
  readonly isOld: boolean;
}

interface Named extends ProcessId {
  readonly name: string;
}

export type LogFact =
  | ({ readonly type: "start"; readonly mode: ExecMode } & Named)
  | ({ readonly type: "stopping" } & Named)
  | ({ readonly type: "stale" } & Named)
  | ({ readonly type: "exit"; readonly code: number; readonly signal: string } & Named)
  | ({ readonly type: "memory"; readonly bytes: number; readonly limit: number } & ProcessId)
  | ({ readonly type: "cron" | "without-pid" } & ProcessId)
  | ({ readonly type: "backoff"; readonly ms: number } & Named)
  | { readonly type: "watch"; readonly name: string; readonly path: string }
  | { readonly type: "gave-up"; readonly count: number }
  | { readonly type: "forced"; readonly afterMs: number }
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "daemon-start" }
  | { readonly type: "daemon-signal" }
  | { readonly type: "daemon-end" };

export type LogEntry = LogFact & { readonly atMs: number };

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d): PM2 (?:log|info|warn|error): /;
const ID = String.raw`(_old_)?(\d{1,9})`;
const NAMED = String.raw`\[(.+):${ID}\]`;

type LinePattern = readonly [RegExp, (groups: readonly string[]) => LogFact];

/**
 * By first letter, because most lines need no pattern. A name may contain brackets and blanks, so a pattern covers its
 * whole line and the name is greedy.
 */
const LINE_PATTERNS: Readonly<Record<string, readonly LinePattern[]>> = {
  A: [
    [
      new RegExp(String.raw`^App ${NAMED} exited with code \[(-?\d{1,10})\] via signal \[(\w{1,20})\]$`),
      ([name = "", old, id, code, signal = ""]) => ({
        type: "exit",
        name,
        ...processId(old, id),
        code: Number(code),
        signal,
      }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} starting in -(fork|cluster) mode-$`),
      ([name = "", old, id, mode]) => ({
        type: "start",
        name,
        ...processId(old, id),
        mode: mode === "cluster" ? mode : "fork",
      }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} will restart in (\d{1,9})ms$`),
      ([name = "", old, id, ms]) => ({ type: "backoff", name, ...processId(old, id), ms: Number(ms) }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} stale exit event ignored `),
      ([name = "", old, id]) => ({ type: "stale", name, ...processId(old, id) }),
    ],
  ],
  S: [
    [
      new RegExp(String.raw`^Stopping app:(.+) id:${ID}$`),
      ([name = "", old, id]) => ({ type: "stopping", name, ...processId(old, id) }),
    ],
    [
      /^Script .+ had too many unstable restarts \((\d{1,9})\)\. Stopped\. "errored"$/,
      ([count]) => ({ type: "gave-up", count: Number(count) }),
    ],
  ],
  a: [
    [
      new RegExp(String.raw`^app=.+ id=${ID} does not have a pid$`),
      ([old, id]) => ({ type: "without-pid", ...processId(old, id) }),
    ],
  ],
  "[": [
    [
      new RegExp(
        String.raw`^\[PM2\]\[WORKER\] Process ${ID} restarted because it exceeds --max-memory-restart value \(current_memory=(\d+) max_memory_limit=(\d+) \[octets\]\)$`,
      ),
      ([old, id, bytes, limit]) => ({
        type: "memory",
        ...processId(old, id),
        bytes: Number(bytes),
        limit: Number(limit),
      }),
    ],
    [
      new RegExp(String.raw`^\[PM2\] Deregistering a cron job on: ${ID}$`),
      ([old, id]) => ({ type: "cron", ...processId(old, id) }),
    ],
  ],
  C: [
    [
      /^Change detected on path (.+) for app (.+) - restarting$/,
      ([path = "", name = ""]) => ({ type: "watch", name, path }),
    ],
  ],
  P: [
    [
      /^Process with pid \d+ still alive after (\d{1,9})ms, sending (?:it )?SIGKILL /,
      ([afterMs]) => ({ type: "forced", afterMs: Number(afterMs) }),
    ],
    [/^PM2 successfully stopped$/, () => ({ type: "daemon-end" })],
  ],
  E: [
    [/^Exited peacefully$/, () => ({ type: "daemon-end" })],
    [/^Error: (spawn .+)$/, startError],
  ],
  T: [[/^Trace: \[?Error: (.+? open .+?)\]?(?: \{)?$/, startError]],
  "-": [[/^-* ?New PM2 Daemon started [- ]*$/, () => ({ type: "daemon-start" })]],
  p: [[/^pm2 has been killed by signal, dumping process list before exit\.\.\.$/, () => ({ type: "daemon-signal" })]],
};

/** The time of any line of PM2, in milliseconds since 1970. */
export function lineTime(line: string): number | undefined {
  const [, stamp = ""] = STAMPED.exec(line) ?? [];
  const atMs = Date.parse(stamp);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** PM2 logs that it could not start a process, but not which one: it is the one that it has just begun to start. */
function startError([message = ""]: readonly string[]): LogFact {
  return { type: "error", message };
}

export function logEntry(line: string): LogEntry | undefined {
  const [head, stamp = ""] = STAMPED.exec(line) ?? [];
  if (head === undefined) return undefined;
  const patterns = LINE_PATTERNS[line.charAt(head.length)];
  if (patterns === undefined) return undefined;
  const text = line.slice(head.length);
  for (const [pattern, read] of patterns) {
    const match = pattern.exec(text);
    if (match === null) continue;
    // PM2 writes the local time of the machine.
    const atMs = Date.parse(stamp);
    return Number.isNaN(atMs) ? undefined : { ...read(match.slice(1)), atMs };
  }
  return undefined;
}

function processId(old: string | undefined, id = ""): ProcessId {
  return { pmId: Number(id), isOld: old !== undefined };
}

/** Everything before `offset`, and everything in the older files of the same log. */
export interface LogPosition {
  readonly log: string;
  /** The file may be renamed. */
  readonly inode: number;
  readonly offset: number;
  /** Of the log itself: the number of its last cut. */
  readonly cuts?: number | undefined;
}

export type Sign = (text: string) => string;

/** @param sign returns a text of `[\w-]` that only the holder of its key can produce */
export function formatCursor(positions: readonly LogPosition[], sign: Sign): string {
  const text = positions
    .map(({ log, inode, offset, cuts }) =>
      [log, ...[inode, offset, cuts].flatMap((one) => one?.toString(36) ?? [])].join("-"),
    )
    .join("_");
  return `${sign(text)}_${text}`;
}

/** `undefined` if `sign` did not sign the text. */
export function parseCursor(cursor: string, sign: Sign): LogPosition[] | undefined {
  const at = cursor.indexOf("_");
  const text = cursor.slice(at + 1);
  if (at === -1 || cursor.slice(0, at) !== sign(text)) return undefined;
  if (text === "") return [];
  return text.split("_").map((position) => {
    const [log = "", inode = "", offset = "", cuts] = position.split("-");
    const place = { log, inode: Number.parseInt(inode, 36), offset: Number.parseInt(offset, 36) };
    return cuts === undefined ? place : { ...place, cuts: Number.parseInt(cuts, 36) };
  });
}
