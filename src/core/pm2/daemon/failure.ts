import { dirname } from "node:path";
import { foreignCode, type ErrorCode } from "../../api/issue.ts";
import { homeCode, SvcmError } from "../../api/errors.ts";
import { systemCode } from "../../files/system.ts";
import { errorMessage } from "../../words/thrown.ts";
import type { Fields } from "../normalise.ts";
import { maskCredentials } from "../../secrets/redact.ts";
import { lostDaemons } from "./proc.ts";
import type { FailureBody } from "./protocol.ts";
import { severalText } from "../daemon-traces.ts";

export class LinkFailure extends Error {
  override readonly name = "LinkFailure";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, details: string) {
    super(details);
    this.code = code;
  }

  get body(): FailureBody {
    return { code: this.code, details: this.message };
  }
}

/** @param problem the start of the message */
export function homeFailure(problem: string, error: unknown): LinkFailure {
  const code = systemCode(error);
  return new LinkFailure(homeCode(code), `${problem} (${code}): ${errorMessage(error)}`);
}

export const DAEMON_ENDED = new LinkFailure("PM2_CONNECTION_LOST", "The PM2 daemon ended before it answered.");

export function unreachableError(code: string, socket: string): LinkFailure {
  // The kernel connects before the daemon accepts, so the daemon can end in between.
  if (code === "ECONNRESET") return DAEMON_ENDED;
  if (code === "ENOENT" || code === "ECONNREFUSED")
    return (
      lostFailure(socket, false) ??
      new LinkFailure("PM2_NOT_RUNNING", `No PM2 daemon runs: no process listens at ${socket}.`)
    );
  if (code === "EACCES" || code === "EPERM")
    return new LinkFailure(
      foreignCode(code),
      `The PM2 daemon at ${socket} belongs to another user: this one may not connect to it.`,
    );
  return new LinkFailure(foreignCode(code), `The PM2 daemon at ${socket} cannot be reached: ${code}.`);
}

/** @param isReached the socket leads to a daemon */
export function lostFailure(socket: string, isReached: boolean): LinkFailure | undefined {
  const pids = lostDaemons(dirname(socket), isReached);
  if (pids.length === 0) return undefined;
  return isReached
    ? new LinkFailure("DAEMON_SEVERAL", severalText(pids))
    : new LinkFailure(
        "PM2_SOCKET_GONE",
        `PM2's daemon (pid ${pids.join(", ")}) runs, but ${socket} does not lead to it, so no command reaches it and its apps.`,
      );
}

export function suspendedFailure(pid: number): LinkFailure {
  const details = `PM2's daemon (pid ${pid}) is suspended, so it does not answer. To let it go on: kill -CONT ${pid}`;
  return new LinkFailure("PM2_TIMEOUT", details);
}

/** The daemon takes a failed write for a defect of itself, and runs `pm2 update`. */
const FREE_SPACE =
  "Free some space first, for example with svcm logs prune --heads, and use no pm2 command before: if PM2's daemon cannot write pm2.log, it ends, and every app with it.";

const HINTS: Readonly<Record<string, string>> = {
  PM2_SOCKET_GONE:
    "Use no pm2 command: it would start a second daemon. End this one with kill <pid>: it ends its apps, and in the background it saves its list if PM2_HOME is still there. Then run svcm boot restore, or svcm apply. If it was pm2-runtime, start that again.",
  DAEMON_ENDS_WITH_UNIT:
    "Log in and run the command there once, let svcm boot enable make a unit for PM2, or add KillMode=process to this unit.",
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  PM2_NOT_RUNNING:
    "If apps ran before, svcm boot says what brings them back. To start what is declared: svcm apply. For another PM2, set PM2_HOME to its folder.",
  PM2_LOAD_FAILED: "Install the PM2 of your team: npm install pm2 in the repository, or npm install --global pm2.",
  PM2_TIMEOUT: "Look at the daemon with ps -fp $(cat $PM2_HOME/pm2.pid), and repeat the command when it answers again.",
  EACCES: "Run svcm as the user who owns the daemon, or set PM2_HOME to your own PM2.",
};

/** Another user was quicker, or a former process still runs, and PM2 did not fail. */
const REFUSED: ReadonlySet<ErrorCode> = new Set(["PROCESS_CHANGED", "PROCESS_LEFT_OVER"]);

export function pm2Error({ code, details }: FailureBody): SvcmError {
  const kind = REFUSED.has(code) ? "PROCESS_ACTION_REFUSED" : "PM2_FAILED";
  return new SvcmError(kind, { code, details, hint: HINTS[code] });
}

const MAX_MESSAGE_LENGTH = 400;

export function errorText(error: unknown): string {
  if (Array.isArray(error)) return error.map(errorText).join("; ").slice(0, MAX_MESSAGE_LENGTH);
  const text = error instanceof Error ? error.message : typeof error === "string" ? error : "PM2 gave no reason";
  return (text.split("\n")[0] ?? "").slice(0, MAX_MESSAGE_LENGTH);
}

const MIN_SECRET_LENGTH = 4;

/** PM2's messages quote values of the declaration. */
export function maskValues(message: string, apps: readonly Fields[]): string {
  const values = apps
    .flatMap((app) => [...Object.values(Object(app["env"]) as Fields), ...[app["args"]].flat()])
    .filter((value): value is string => typeof value === "string" && value.length >= MIN_SECRET_LENGTH);
  return maskCredentials(values.reduce((text, value) => text.replaceAll(value, "[REDACTED]"), message));
}
