export function shellQuote(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Relative paths of the file begin in the folder of the call. */
export function inFolder(cwd: string | undefined, command: string): string {
  return cwd === undefined || command === "" ? command : `cd ${shellQuote(cwd)} && ${command}`;
}
