/** Quotes a word, so that a POSIX shell reads it unchanged. */
export function shellQuote(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * `pm2 start <path> --only <names> --update-env`: what starts exactly these apps. `undefined` without
 * a name, because PM2 would start them all.
 *
 * @see the specification, "PM2 ecosystem response"
 */
export function startCommand(path: string, names: readonly string[], env?: string): string | undefined {
  const only = names.filter((name) => name !== "").join(",");
  if (only === "") return undefined;
  const environment = env === undefined ? "" : ` --env ${shellQuote(env)}`;
  return `pm2 start ${shellQuote(path)} --only ${shellQuote(only)}${environment} --update-env`;
}
