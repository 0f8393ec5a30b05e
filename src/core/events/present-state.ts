import type { SvcmEvent } from "../api/events.ts";

/** PM2's word for the state of a process, and what shows whether the word is true. */
export interface StateFacts {
  readonly status: string;
  readonly pid: number | null;
  /** Null after PM2 gave up on it. */
  readonly createdAt: number | null;
  readonly autorestart: boolean;
  /** The newest event of the process. */
  readonly newest?: Pick<SvcmEvent, "kind" | "evidence"> | undefined;
}

export type PresentState = "not running" | "given up" | "ending" | (string & {});

const GAVE_UP = /^PM2 gave up after /;

export function presentState({ status, pid, createdAt, autorestart, newest }: StateFacts): PresentState {
  // With a delay before restarts, PM2 7 keeps this word for a process that it does not start again.
  if (status === "waiting restart") {
    const hasGivenUp = createdAt === null || newest?.evidence.some((sentence) => GAVE_UP.test(sentence)) === true;
    if (hasGivenUp) return "given up";
    return autorestart ? status : "stopped";
  }
  if (status === "errored") return "given up";
  if (status === "stopped" || status === "stopping") return status;
  return pid === null ? "not running" : status;
}

/** `Now: given up. PM2 does not start it again; svcm restart api does.` */
export function stateSentences(name: string, states: readonly PresentState[]): string[] {
  if (states.length === 0) return [];
  const next = nextSentence(name, states);
  return [`Now: ${states.join(", ")}.${next === undefined ? "" : ` ${next}`}`];
}

function nextSentence(name: string, states: readonly PresentState[]): string | undefined {
  if (states.includes("given up")) return `PM2 does not start it again; svcm restart ${name} does.`;
  if (states.includes("not running"))
    return `PM2 lists it as online, but it has no pid, and PM2 does not notice; svcm restart ${name} starts it.`;
  return undefined;
}
