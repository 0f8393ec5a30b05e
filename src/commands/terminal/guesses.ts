/** The line below a list with keys that svcm init guessed; none without a guess. */
export function guessNote(count: number): string[] {
  if (count === 0) return [];
  const said = count === 1 ? "1 key is a guess" : `${count} keys are guesses`;
  return ["", `${said} of svcm init. To confirm: svcm keys confirm KEY, or --all`];
}
