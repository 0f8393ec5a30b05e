import { paint } from "./screen.ts";

export interface Verdict {
  readonly text: string;
  readonly tone?: "good" | "attention" | "bad";
  /** A command that can be pasted. */
  readonly next?: string | undefined;
}

/** An answer begins with what it comes to, and ends with the next command if there is something to do. */
export function withVerdict({ text, tone, next }: Verdict, evidence: string): string {
  const head = paint.bold(tone === undefined ? text : TONES[tone](text));
  return [head, ...(evidence === "" ? [] : [evidence]), ...(next === undefined ? [] : [`Next: ${next}`])].join("\n");
}

const TONES = { good: paint.green, attention: paint.yellow, bad: paint.red };
