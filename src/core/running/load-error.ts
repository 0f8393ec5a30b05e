import { withoutPrefix } from "../logs/error-block.ts";

/**
 * `module`: the module or one of its imports was not loaded. `rejection`: no code handled it, so Node.js alone would have
 * ended. `handled`: the program wrote it by itself, so it has loaded.
 */
export type LoadError = "module" | "rejection" | "handled";

/** PM2 writes it in cluster mode, and keeps the worker. */
const ANNOUNCEMENT = /^You have triggered an unhandledRejection, /;
const FRAME = /^\s+at /;
/** Code of a module that is in no function, and Node.js where it loads modules. */
const OF_MODULE = /^\s+at (?:async )?(?:file:\/\/\S+|Object\.<anonymous> \(.+\)|.*\(?node:internal\/modules\/.+)$/;
const GOES_ON = /^(?:\s|[}\]]|$)/;

/** @param lines the end of an error log, oldest first, with an error */
export function loadErrorOf(lines: readonly string[]): LoadError {
  const texts = lines.map((line) => withoutPrefix(line));
  const at = texts.findLastIndex((line) => ANNOUNCEMENT.test(line));
  if (at === -1) return "handled";
  const block = texts.slice(at + 1);
  const frameAt = block.findIndex((line) => FRAME.test(line));
  if (frameAt === -1) return "rejection";
  const stack = block.slice(frameAt);
  // The program has written something since.
  if (!stack.every((line) => GOES_ON.test(line))) return "handled";
  return OF_MODULE.test(stack[0] ?? "") ? "module" : "rejection";
}
