/** A cause is certain only if the evidence has no other explanation. */
import type { ExecMode } from "../pm2/pm2-fields.ts";
import type { SvcmEvent } from "../api/events.ts";
import { maskCredentials } from "../secrets/redact.ts";

export interface Verdict extends Pick<SvcmEvent, "cause" | "certainty"> {
  readonly evidence: string[];
}

export interface StopOrder {
  readonly stoppingMs?: number;
  readonly memory?: { readonly atMs: number; readonly bytes: number; readonly limit: number };
  readonly watch?: { readonly atMs: number; readonly path: string } | undefined;
  readonly cron?: { readonly atMs: number };
  /** PM2 waited this long and then killed the process. */
  readonly forced?: { readonly afterMs: number };
  readonly isEnding?: boolean;
}

/** PM2 acts within the second of its log line, or in the next one. */
const REACTION_MS = 1000;
/** A reload waits for the new process first. */
const RELOAD_MS = 10_000;
/** A shell exits with 128 plus the number of the signal. */
const SIGNALS: Readonly<Record<number, string>> = { 129: "SIGHUP", 130: "SIGINT", 137: "SIGKILL", 143: "SIGTERM" };
/** The system sends these because of a fault in the process. */
const FAULTS = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"]);

/**
 * An exit code says what ended, never why: an app may exit with it after an error, on purpose, or after a signal.
 * @param signal absent if PM2 logs no signal or its default one
 */
export function explainExit(code: number, signal: string | undefined): Verdict {
  if (signal !== undefined) return explainSignal(signal);
  if (code === 0) return explainZero("unknown", {});
  const shell = SIGNALS[code];
  if (shell !== undefined) {
    return verdict("signal", "likely", `It ended with exit code ${code}, which usually means ${shell}.`);
  }
  return verdict("crash", "likely", `It ended with exit code ${code}. An app that handles a signal may end so, too.`);
}

export interface ZeroEvidence {
  /** Its error log got lines in the second of the end. */
  readonly hasFreshErrors?: boolean;
  readonly isRepeated?: boolean;
  readonly isRestarted?: boolean;
}

/**
 * PM2 logs code 0 with SIGINT, its default, for an end by code 0 and by SIGINT. In cluster mode, it does so for every
 * uncaught error, too.
 */
export function explainZero(mode: ExecMode | "unknown", evidence: ZeroEvidence): Verdict {
  if (mode === "fork") {
    return verdict("exit", "likely", "It ended with exit code 0. PM2 writes the same for SIGINT from outside.");
  }
  const hides =
    mode === "cluster"
      ? "In cluster mode, PM2 writes exit code 0 for an uncaught error, too."
      : "PM2 wrote exit code 0, which in cluster mode stands for an uncaught error, too; the log does not name the mode.";
  const { hasFreshErrors = false, isRepeated = false, isRestarted = false } = evidence;
  if (hasFreshErrors) return verdict("crash", "likely", "It wrote to its error log in that second.", hides);
  if (mode === "cluster" && (isRepeated || isRestarted)) {
    return verdict("crash", "likely", isRepeated ? "It ended so repeatedly, without a request." : NO_REQUEST, hides);
  }
  return verdict("unknown", "unknown", hides);
}

const NO_REQUEST = "No command to PM2 came before it.";

function explainSignal(signal: string): Verdict {
  const sentence = `The signal ${signal} ended it. PM2 does not know the sender.`;
  if (FAULTS.has(signal)) {
    return verdict(
      "signal",
      "certain",
      sentence,
      "The system also sends it for a fault of the process itself, such as a full heap.",
    );
  }
  return verdict("signal", "certain", sentence);
}

export function explainStop(order: StopOrder, withinMs = REACTION_MS): Verdict {
  const { evidence, ...why } = findReason(order, withinMs);
  if (order.forced === undefined) return { ...why, evidence };
  const seconds = (order.forced.afterMs / 1000).toFixed(1);
  return { ...why, evidence: [...evidence, `It did not end within ${seconds} s, so PM2 sent SIGKILL.`] };
}

/** Every stop of a process with a schedule looks the same in the log. */
export function maySchedule({ stoppingMs = 0, cron }: StopOrder): boolean {
  return cron !== undefined && isWithin(stoppingMs - cron.atMs, REACTION_MS);
}

function findReason({ stoppingMs = 0, memory, watch, isEnding = false }: StopOrder, withinMs: number): Verdict {
  const isNear = ({ atMs }: { readonly atMs: number }): boolean => isWithin(stoppingMs - atMs, withinMs);
  if (isEnding) return verdict("daemon", "likely", "A signal stopped PM2's daemon, which stopped its processes.");
  if (memory !== undefined && isNear(memory)) {
    return verdict(
      "memory-limit",
      "certain",
      `PM2 restarted it because it used ${mebibytes(memory.bytes)} of at most ${mebibytes(memory.limit)}.`,
    );
  }
  if (watch !== undefined && isNear(watch)) {
    return verdict("watch", "certain", `PM2 restarted it because ${quotePath(watch.path)} changed.`);
  }
  return verdict("pm2-cli", "likely", "A PM2 command ended it, and svcm's audit log has no record of it.");
}

export function explainReload(order: StopOrder, endMs: number): Verdict {
  const stop = explainStop({ ...order, stoppingMs: order.stoppingMs ?? endMs }, RELOAD_MS);
  // The time span is longer, so a file may have changed by coincidence.
  const { cause, evidence } = stop;
  const certainty = cause === "watch" ? "likely" : stop.certainty;
  return {
    cause,
    certainty,
    evidence: [...evidence, "A reload: the new process started before this one ended."],
  };
}

function verdict(cause: Verdict["cause"], certainty: Verdict["certainty"], ...evidence: string[]): Verdict {
  return { cause, certainty, evidence };
}

function isWithin(difference: number, max: number): boolean {
  return difference >= 0 && difference <= max;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function quotePath(path: string): string {
  return JSON.stringify(maskCredentials(path).slice(0, 200));
}
