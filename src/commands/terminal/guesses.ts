import { describeGuesses } from "../../core/index.ts";

export function guessNote(count: number): string[] {
  if (count === 0) return [];
  return ["", `${describeGuesses(count)}. To confirm: svcm keys confirm KEY, or --all`];
}
