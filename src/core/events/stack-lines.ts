/** Stack frames, marker lines below source code, and the lines that Node.js prints around an uncaught system error. */
const STACK_LINE =
  /^\s*(?:(?<=\s)at .+|\^+|[{}\]],?|Node\.js v[\d.]+|(?:errno|code|syscall|address|port|path|dest|spawnargs): .+|node:[\w/]+:\d+|throw er; \/\/ Unhandled 'error' event|Emitted '\w+' event (?:on .+ )?at:)?$/;

/** Returns all lines if none describes the error. */
export function withoutStack(lines: readonly string[]): readonly string[] {
  const found = lines.filter((line) => !STACK_LINE.test(line));
  return found.length === 0 ? lines : found;
}

/** Each end of a crash loop writes the same lines. */
export function counted(lines: readonly string[]): readonly string[] {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}
