import { toPrintable } from "../findings/cells.ts";
import type { LogLine } from "../api/logs.ts";
import { formatFields } from "./fields-text.ts";

/** A terminal shows the other members behind the first line of a text, the console behind the last. */
export function shownText(text: string, fields: LogLine["fields"]): string {
  const members = formatFields(fields);
  const end = members === "" ? -1 : text.indexOf("\n");
  return end === -1 ? text + members : `${text.slice(0, end)}${members}${text.slice(end)}${members}`;
}

/** A terminal shows a tab as a space, and a control character as U+FFFD. `undefined` if nothing differs. */
export function printableText(text: string): string | undefined {
  if (/^[\x20-\x7e]*$/.test(text)) return undefined;
  const printable = text.split("\n").map(toPrintable).join("\n");
  return printable === text ? undefined : printable;
}

const TIME_SHAPES = ["dddd-dd-dd dd:dd:ddz", "dddd-dd-ddtdd:dd:dd.dddz"];
/** A shorter text is more often a number or an option than a part of a time. */
const MIN_TIME_LENGTH = 5;

/** True if the text can be part of the time of a line, such as `08:15:` or `2026-01-31`. */
export function mayBeTime(text: string): boolean {
  if (text.length < MIN_TIME_LENGTH || /[^\dtz:. -]/i.test(text) || !/\D/.test(text)) return false;
  const shape = text.toLowerCase().replaceAll(/\d/g, "d");
  return TIME_SHAPES.some((time) => time.includes(shape));
}

/** In the terminal, and in JSON. */
export function timeForms(atMs: number): readonly string[] {
  const iso = new Date(atMs).toISOString();
  return [`${iso.slice(0, "2026-01-31T08:00:00".length).replace("T", " ")}Z`, iso];
}
