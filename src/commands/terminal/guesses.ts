import { guessesText } from "../../core/index.ts";

/** The line below a list with keys that svcm init guessed; none without a guess. */
export function guessNote(count: number): string[] {
  if (count === 0) return [];
  return ["", `${guessesText(count)}. To confirm: svcm keys confirm KEY, or --all`];
}
