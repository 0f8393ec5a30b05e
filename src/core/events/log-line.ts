/** The grammar of `pm2.log`, in the words of PM2 5, 6 and 7. */

/** A process id. A reload renames the old process to `_old_<id>`. */
interface Of {
  readonly pmId: number;
  readonly isOld: boolean;
}

interface Named extends Of {
  readonly name: string;
}

export type LogFact =
  | ({ readonly type: "start" } & Named)
  | ({ readonly type: "stopping" } & Named)
  | ({ readonly type: "stale" } & Named)
  | ({ readonly type: "exit"; readonly code: number; readonly signal: string } & Named)
  | ({ readonly type: "memory"; readonly bytes: number; readonly limit: number } & Of)
  | ({ readonly type: "cron" | "without-pid" } & Of)
  | ({ readonly type: "backoff"; readonly ms: number } & Named)
  | { readonly type: "watch"; readonly name: string; readonly path: string }
  | { readonly type: "gave-up"; readonly count: number }
  | { readonly type: "forced"; readonly afterMs: number }
  | { readonly type: "daemon-start" }
  | { readonly type: "daemon-signal" }
  | { readonly type: "daemon-end" };

/** The time has a resolution of one second. */
export type LogEntry = LogFact & { readonly atMs: number };

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d): PM2 (?:log|info|warn|error): /;
const ID = String.raw`(_old_)?(\d{1,9})`;
const NAMED = String.raw`\[(.+):${ID}\]`;

type Reader = readonly [RegExp, (groups: readonly string[]) => LogFact];

/**
 * By first letter, because most lines need no pattern. A name may contain brackets and blanks, so a pattern covers its
 * whole line and the name is greedy.
 */
const READERS: Readonly<Record<string, readonly Reader[]>> = {
  A: [
    [
      new RegExp(String.raw`^App ${NAMED} exited with code \[(-?\d{1,10})\] via signal \[(\w{1,20})\]$`),
      ([name = "", old, id, code, signal = ""]) => ({ type: "exit", name, ...of(old, id), code: Number(code), signal }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} starting in -(?:fork|cluster) mode-$`),
      ([name = "", old, id]) => ({ type: "start", name, ...of(old, id) }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} will restart in (\d{1,9})ms$`),
      ([name = "", old, id, ms]) => ({ type: "backoff", name, ...of(old, id), ms: Number(ms) }),
    ],
    [
      new RegExp(String.raw`^App ${NAMED} stale exit event ignored `),
      ([name = "", old, id]) => ({ type: "stale", name, ...of(old, id) }),
    ],
  ],
  S: [
    [
      new RegExp(String.raw`^Stopping app:(.+) id:${ID}$`),
      ([name = "", old, id]) => ({ type: "stopping", name, ...of(old, id) }),
    ],
    [
      /^Script .+ had too many unstable restarts \((\d{1,9})\)\. Stopped\. "errored"$/,
      ([count]) => ({ type: "gave-up", count: Number(count) }),
    ],
  ],
  a: [
    [
      new RegExp(String.raw`^app=.+ id=${ID} does not have a pid$`),
      ([old, id]) => ({ type: "without-pid", ...of(old, id) }),
    ],
  ],
  "[": [
    [
      new RegExp(
        String.raw`^\[PM2\]\[WORKER\] Process ${ID} restarted because it exceeds --max-memory-restart value \(current_memory=(\d+) max_memory_limit=(\d+) \[octets\]\)$`,
      ),
      ([old, id, bytes, limit]) => ({ type: "memory", ...of(old, id), bytes: Number(bytes), limit: Number(limit) }),
    ],
    [
      new RegExp(String.raw`^\[PM2\] Deregistering a cron job on: ${ID}$`),
      ([old, id]) => ({ type: "cron", ...of(old, id) }),
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
  E: [[/^Exited peacefully$/, () => ({ type: "daemon-end" })]],
  "-": [[/^-* ?New PM2 Daemon started [- ]*$/, () => ({ type: "daemon-start" })]],
  p: [[/^pm2 has been killed by signal, dumping process list before exit\.\.\.$/, () => ({ type: "daemon-signal" })]],
};

/** `undefined` for every line that no decision needs. */
export function logEntry(line: string): LogEntry | undefined {
  const [head, stamp = ""] = STAMPED.exec(line) ?? [];
  if (head === undefined) return undefined;
  const readers = READERS[line.charAt(head.length)];
  if (readers === undefined) return undefined;
  const text = line.slice(head.length);
  for (const [pattern, read] of readers) {
    const match = pattern.exec(text);
    if (match === null) continue;
    // PM2 writes the local time of the machine.
    const atMs = Date.parse(stamp);
    return Number.isNaN(atMs) ? undefined : { ...read(match.slice(1)), atMs };
  }
  return undefined;
}

function of(old: string | undefined, id = ""): Of {
  return { pmId: Number(id), isOld: old !== undefined };
}
