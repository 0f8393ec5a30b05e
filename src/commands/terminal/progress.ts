import type { Caller } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { writeErr } from "./output.ts";
import { printable } from "./paint.ts";
import { isStderrTerminal, stderrScreen } from "./screen.ts";

const ERASE_LINE = "\r\u001B[K";

export interface ActionProgress {
  readonly report: NonNullable<Caller["report"]>;
  readonly end: () => void;
}

export function showProgress(command: SvcmCommand, activity: string, initialText: string): ActionProgress {
  if (!command.isInteractive || !isStderrTerminal() || process.env["TERM"] === "dumb")
    return { report: () => undefined, end: () => undefined };
  const line = (text: string): string => printable(`${activity}: ${text} …`, stderrScreen());
  writeErr(line(initialText));
  return {
    report: ({ done, total, label }) => writeErr(`${ERASE_LINE}${line(`${done} of ${total} done, last ${label}`)}`),
    end: () => writeErr(ERASE_LINE),
  };
}
