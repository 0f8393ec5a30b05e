export function wordPattern(words: readonly string[]): string {
  return `^\\s*(?:${words.map(anyCasePattern).join("|")})\\s*$`;
}

export function anyCasePattern(word: string): string {
  return word.replaceAll(/./gsu, (letter) => (/[a-z]/i.test(letter) ? bothCases(letter) : escapeCharacter(letter)));
}

/** The Kelvin sign is also an upper-case K. */
function bothCases(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  return `[${lower}${upper}${lower === "k" ? "\\u212A" : ""}]`;
}

function escapeCharacter(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}
