/** Frames of a stack, marks below source code, and the members that Node.js prints below an error of the system. */
const STACK_LINE =
  /^\s*(?:(?<=\s)at .+|\^+|[{}\]],?|Node\.js v[\d.]+|(?:errno|code|syscall|address|port|path|dest|spawnargs): .+)?$/;

/** The lines that say what happened. Without any, all lines. */
export function withoutStack(lines: readonly string[]): readonly string[] {
  const found = lines.filter((line) => !STACK_LINE.test(line));
  return found.length === 0 ? lines : found;
}
