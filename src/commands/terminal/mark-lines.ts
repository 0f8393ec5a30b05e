import type { Mark, MarkListResponse } from "../../core/api/alerts.ts";
import { markList, processList, SvcmError } from "../../core/index.ts";
import { inLocalTime } from "../../core/words/time.ts";
import type { SvcmCommand } from "../base.ts";
import { fold, type Column } from "./table.ts";
import { pluralize } from "../../core/words/text.ts";
import { paint } from "./screen.ts";

/** The mutes and notes of these subjects, or of all. Those that cannot be read do not stop a view. */
export async function printMarks(command: SvcmCommand, subjects?: readonly string[]): Promise<void> {
  const lines = await readMarks(command, (marks) =>
    marks.filter(({ subject }) => subjects?.includes(subject) ?? true).flatMap(markLines),
  );
  if (lines.length > 0) command.print((screen) => paint.dim(fold(lines.join("\n"), screen)));
}

/** One line, because the status is short. */
export async function countMarks(command: SvcmCommand): Promise<string[]> {
  return readMarks(command, (marks) => {
    const muted = marks.filter(({ mute }) => mute !== undefined).length;
    const noted = marks.filter(({ note }) => note !== undefined).length;
    return marks.length === 0 ? [] : [`${muted} muted (svcm mute), ${pluralize(noted, "note")} (svcm note).`];
  });
}

async function readMarks(command: SvcmCommand, render: (marks: readonly Mark[]) => string[]): Promise<string[]> {
  if (!command.isInteractive) return [];
  try {
    return render((await command.execute(markList, {})).marks);
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return [`Mutes and notes cannot be read: ${error.body.details ?? error.message}`];
  }
}

function markLines({ subject, mute, note }: Mark): string[] {
  const reason = mute?.reason === undefined ? "" : `: ${mute.reason}`;
  return [
    ...(mute === undefined
      ? []
      : [`Muted: ${subject} (${mute.kinds.join(", ")}) until ${inLocalTime(mute.until)}, by ${mute.by}${reason}`]),
    ...(note === undefined ? [] : [`Note on ${subject}, by ${note.by}, ${inLocalTime(note.at)}: ${note.text}`]),
  ];
}

/** A mark may come before its app, so an unknown name is accepted, and reported. */
export async function warnUnknownSubject(command: SvcmCommand, subject: string): Promise<void> {
  if (subject === "PM2" || subject === "reboot" || subject.startsWith("/")) return;
  const names = await command.execute(processList, {}).then(
    ({ processes }) => processes.map(({ name }) => name),
    () => undefined,
  );
  if (names === undefined || names.includes(subject)) return;
  command.warn(`PM2 knows no process with the name ${subject}. svcm ls shows those that it knows.`);
}

type SubjectMark = MarkListResponse["marks"][number];

const subject: Column<SubjectMark> = { heading: "SUBJECT", cell: (mark) => mark.subject };
const time = (at = ""): string => inLocalTime(at);

export const MARK_COLUMNS: Readonly<Record<"mute" | "note", readonly Column<SubjectMark>[]>> = {
  mute: [
    subject,
    { heading: "KINDS", cell: ({ mute }) => mute?.kinds.join(", ") ?? "" },
    { heading: "UNTIL", cell: ({ mute }) => time(mute?.until) },
    { heading: "BY", cell: ({ mute }) => mute?.by ?? "", dropPriority: 2 },
    { heading: "REASON", cell: ({ mute }) => mute?.reason ?? "", shorten: "end", dropPriority: 1 },
  ],
  note: [
    subject,
    { heading: "NOTE", cell: ({ note }) => note?.text ?? "", shorten: "end" },
    { heading: "BY", cell: ({ note }) => note?.by ?? "", dropPriority: 1 },
    { heading: "AT", cell: ({ note }) => time(note?.at), dropPriority: 2 },
  ],
};
