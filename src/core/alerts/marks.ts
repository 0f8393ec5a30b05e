/** Mutes and notes: what a user says about an app to those who come next. */
import * as z from "zod/mini";
import type { Mark } from "../api/alerts.ts";
import { SvcmError } from "../api/errors.ts";
import { parseDuration, readMoment } from "../words/time.ts";

const MAX_MARKS = 500;
const string = z.string();
const made = { by: string, at: string };
const fileSchema = z.strictObject({
  version: z.literal(1),
  marks: z.array(
    z.strictObject({
      subject: string,
      mute: z.optional(z.strictObject({ ...made, kinds: z.array(string), until: string, reason: z.optional(string) })),
      note: z.optional(z.strictObject({ ...made, text: string })),
    }),
  ),
});

/** @throws {SvcmError} MARKS_FAILED if the file is damaged; then nothing is muted */
export function parseMarks(content: string | undefined, path: string): readonly Mark[] {
  try {
    return content === undefined ? [] : fileSchema.parse(JSON.parse(content)).marks;
  } catch {
    const details = `${path} is not a file of svcm's mutes and notes. Accepted: what svcm wrote. Remove it to begin again.`;
    throw new SvcmError("MARKS_FAILED", { path, details });
  }
}

export function renderMarks(marks: readonly Mark[]): string {
  return `${JSON.stringify({ version: 1, marks })}\n`;
}

/** A mute that has ended is gone, and so is a mark that says nothing. */
export function presentMarks(marks: readonly Mark[], nowMs: number): Mark[] {
  return marks
    .map(({ mute, ...rest }) => (mute && Date.parse(mute.until) > nowMs ? { ...rest, mute } : rest))
    .filter((mark) => "mute" in mark || mark.note !== undefined);
}

/** `undefined` removes a part. */
export type Change = Pick<Mark, "subject"> & { readonly [Part in "mute" | "note"]?: Mark[Part] | undefined };

/** @throws {SvcmError} MARK_REFUSED if there are too many */
export function withMark(marks: readonly Mark[], next: Change, nowMs: number): Mark[] {
  const before = marks.find(({ subject }) => subject === next.subject);
  const others = marks.filter((mark) => mark !== before);
  const all = presentMarks([...others, { ...before, ...next }], nowMs);
  if (all.length <= MAX_MARKS) return all;
  const details = `There are ${MAX_MARKS} mutes and notes. Remove one first.`;
  throw new SvcmError("MARK_REFUSED", { code: "MARKS_FULL", details });
}

const DAY_MS = 86_400_000;
export const MAX_MUTE_MS = 92 * DAY_MS;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MORNING = 9;

/** A duration, a day of the week at nine o'clock, or a time; `undefined` for another text, or one that has passed. */
export function readUntil(text: string, nowMs: number): number | undefined {
  const ms = parseDuration(text, /^(\d{1,5})(m|h|d)$/);
  const day = DAYS.indexOf(text.toLowerCase());
  const until = ms !== undefined ? nowMs + ms : day < 0 ? readMoment(text)?.atMs : nextMorning(day, nowMs);
  return until !== undefined && until > nowMs && until <= nowMs + MAX_MUTE_MS ? until : undefined;
}

function nextMorning(day: number, nowMs: number): number {
  const at = new Date(nowMs);
  at.setHours(MORNING, 0, 0, 0);
  at.setDate(at.getDate() + ((day - at.getDay() + 7) % 7));
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 7);
  return at.getTime();
}
