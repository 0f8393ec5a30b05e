export type Key = string;

const SEQUENCES: Readonly<Record<string, Key>> = {
  "\u001B[A": "up",
  "\u001BOA": "up",
  "\u001B[B": "down",
  "\u001BOB": "down",
  "\u001B": "escape",
  "\r": "enter",
  "\n": "enter",
  "\u007F": "backspace",
  "\b": "backspace",
  "\u0003": "ctrl-c",
};

/** Parses the input of raw mode and drops unknown sequences. */
export function parseKeys(input: string): Key[] {
  // oxlint-disable-next-line no-control-regex -- what a terminal sends are control characters
  const parts = input.match(/\u001B(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[^]/gu) ?? [];
  return parts.flatMap((part) => {
    const key = SEQUENCES[part];
    if (key !== undefined) return [key];
    return /^\P{C}$/u.test(part) ? [part] : [];
  });
}
